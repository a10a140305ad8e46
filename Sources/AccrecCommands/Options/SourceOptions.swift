import ACCAudioRecorder
import ArgumentParser

/// Options for the sources and their channels.
struct SourceOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help:
            "Record the microphone: the source that is taken where none is named. Adds up with the next three options.")
    var mic = false

    @Option(
        name: .longAndJoined("d"),
        help: ArgumentHelp(
            "A source: its name or number in 'accrec devices', or a unique part of its name or description. May be repeated.",
            valueName: "source"),
        completion: .custom { words, _, _ in
            Completions.offered(ServerNames.ofSources(atServer: Completions.value(of: "--server", in: words)))
        })
    var device: [String] = []

    @Option(
        help: ArgumentHelp(
            "Capture what this application plays: its process ID, or a part of its name or of a title it plays. May be repeated.",
            valueName: "name"),
        completion: .custom { words, _, _ in
            Completions.offered(
                ServerNames.ofApplications(atServer: Completions.value(of: "--server", in: words)))
        },
        transform: { text in
            guard text.contains(where: { !$0.isWhitespace }) else {
                throw ValidationError("name an application; 'accrec devices --apps' lists those that play")
            }
            return text
        })
    var app: [String] = []

    @Flag(
        inversion: .prefixedNo, help: "Record what the desktop plays, through whichever output is the default.")
    var desktop = false

    @Option(
        help: ArgumentHelp(
            "Which channels several sources make: those of each after one another, or their sum.", valueName: "layout"))
    var layout: InputLayout = .tracks

    @OptionGroup var server: Server

    @Flag(
        inversion: .prefixedNo,
        help: "Consider Bluetooth microphones when no source is named. Their headset then plays in telephone quality.")
    var allowBluetooth = false

    @Flag(
        inversion: .prefixedNo,
        help: "Consider monitors, which deliver what the desktop plays, when no source is named.")
    var allowMonitor = false

    @Flag(
        inversion: .prefixedNo,
        help: "Follow the server's default source when it changes. Excludes --device.")
    var followDefault = false

    @Option(
        name: .customLong("capture-api"),
        help: ArgumentHelp(
            "The libpulse API to capture with; 'simple' is a fallback.", valueName: "api"))
    var captureAPI: CaptureAPI = .asynchronous

    @Option(
        help: ArgumentHelp(
            "Record only these channels of the source, in this order: 3,4 or 1-4,8.", valueName: "channels"),
        transform: { try ChannelNumbers($0) })
    var select: ChannelNumbers?

    @Option(
        help: ArgumentHelp(
            "Positions of the captured channels: front-left,front-right,lfe … or a layout such as surround-51.",
            valueName: "positions"),
        transform: { text in
            guard let map = ChannelMap(names: text) else {
                throw ValidationError(
                    "give PulseAudio's names, such as front-left,front-right or aux0,aux1, or a layout such as surround-51"
                )
            }
            return map
        })
    var channelMap: ChannelMap?

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        configuration.inputs = inputs
        configuration.inputLayout = layout
        configuration.serverName = server.name
        configuration.allowsBluetooth = allowBluetooth
        configuration.allowsMonitor = allowMonitor
        configuration.interruptions.followsDefault = followDefault
        configuration.captureAPI = captureAPI
        configuration.selectedChannels = select?.numbers ?? []
        configuration.channelMap = channelMap
    }

    /// What is recorded, in this order: the first is the recording's clock.
    private var inputs: [RecordingInput] {
        let named: [RecordingInput] =
            (mic ? [.source(nil)] : []) + device.map { .source($0) } + app.map { .application($0) }
            + (desktop ? [.desktop] : [])
        return named.isEmpty ? [.source(nil)] : named
    }

    func validate() throws {
        if !app.isEmpty, captureAPI == .simple {
            throw ValidationError("--app and --capture-api simple exclude each other")
        }
        if followDefault, inputs != [.source(nil)] {
            let options = ["--device": !device.isEmpty, "--app": !app.isEmpty, "--desktop": desktop]
            let other = options.first { $0.value }?.key ?? "several sources"
            throw ValidationError("--follow-default and \(other) exclude each other")
        }
        if inputs.count != Set(inputs).count { throw ValidationError("name each source once") }
        if let select, let channelMap, select.numbers.count != channelMap.channelCount {
            throw ValidationError(
                "--channel-map names \(channelMap.channelCount) channels, but --select picks "
                    + "\(select.numbers.count)")
        }
    }
}

extension SourceOptions {
    /// Options for the sound server.
    struct Server: ParsableArguments {
        @Option(
            name: .customLong("server"),
            help: ArgumentHelp(
                "The sound server: unix:/path, tcp:host:4713, or a host. Overrides PULSE_SERVER.", valueName: "server"),
            transform: { text in
                guard text.contains(where: { !$0.isWhitespace }) else {
                    throw ValidationError("give an address: unix:/path, tcp:host:4713, or a host")
                }
                return text
            })
        var name: String?
    }

    /// Channel numbers as given to `--select`: `3,4` or `1-4,8`, counted from 1.
    struct ChannelNumbers {
        /// In the given order.
        let numbers: [Int]

        init(_ text: String) throws {
            numbers = try text.split(separator: ",", omittingEmptySubsequences: false).flatMap { part in
                let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
                guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                    (1...32).contains(first), (first...32).contains(last)
                else {
                    throw ValidationError("give channels from 1 to 32, such as 3,4 or 1-4,8")
                }
                return Array(first...last)
            }
            guard numbers.count <= 32 else { throw ValidationError("give at most 32 channels") }
        }
    }

    /// Names that a server knows, for completions.
    private enum ServerNames {
        /// Kept short because the user is waiting at the prompt.
        private static let longestWait = Duration.seconds(1)

        /// The names that `--device` accepts, or none if no server answers in time. Blocks the calling thread.
        ///
        /// - Parameter serverName: Nil for libpulse's default server.
        static func ofSources(atServer serverName: String?) -> [String] {
            answer { try await ACCAudioRecorder.availableSources(serverName: serverName).map(\.name) }
        }

        /// The names of the applications that play, or none if no server answers in time. Blocks the calling thread.
        ///
        /// - Parameter serverName: Nil for libpulse's default server.
        static func ofApplications(atServer serverName: String?) -> [String] {
            answer {
                let list = try await ACCAudioRecorder.applicationList(for: .init(serverName: serverName))
                return list.applications.map(\.name)
            }
        }

        private static func answer(_ ask: @escaping @Sendable () async throws -> [String]) -> [String] {
            let names = Promise<[String]>()
            Task.detached { names.fulfil((try? await ask()) ?? []) }
            return names.wait(for: longestWait) ?? []
        }
    }
}
