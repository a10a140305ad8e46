import ACCAudioRecorder
import ArgumentParser

/// Options for what is recorded, one input or several, and for each of several.
struct InputOptions: ParsableArguments {
    /// The options that name what is recorded.
    static let naming: Set = ["mic", "device", "app", "desktop", "inputs"]

    @Flag(
        inversion: .prefixedNo,
        help:
            "Record the microphone: the source that is taken where none is named. Adds up with the next three options.")
    var mic = false

    @Option(
        name: .longAndJoined("d"),
        help: ArgumentHelp(
            "A source: its name, or #number, in 'accrec devices', or a unique part of its name or description. May be repeated.",
            valueName: "source"),
        completion: .custom { words, _, _ in
            Completions.offered(ServerNames.ofSources(atServer: Completions.value(of: "--server", in: words)))
        }, transform: Self.source)
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
        name: .customLong("inputs"),
        help: ArgumentHelp(
            "All sources, in this order: mic,lark,app:zoom,desktop. The first is the clock. Excludes the four options above.",
            valueName: "list"),
        transform: { text in
            try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
                guard let input = RecordingInput(named: String(name.drop(while: \.isWhitespace))) else {
                    throw ValidationError("give sources separated by commas, such as mic,app:zoom,desktop")
                }
                guard case .source(let source?) = input else { return input }
                return Self.input(ofDevice: try Self.source(source))
            }
        })
    var list: [RecordingInput]?

    @Option(
        help: ArgumentHelp(
            "Which channels several sources make: those of each after one another, or their sum.", valueName: "layout"))
    var layout: InputLayout = .tracks

    @Option(
        name: .customLong("require"),
        help: ArgumentHelp(
            "Which of several sources must be there: the first, or all of them.", valueName: "which"))
    var required: RequiredInputs = .first

    @Option(
        help: ArgumentHelp(
            "Record only these channels, in this order: 3,4 or 1-4,8; or of one of several sources: mic=1. May be repeated.",
            valueName: "channels"),
        transform: { try ForSource($0, ChannelNumbers.init) })
    var select: [ForSource<ChannelNumbers>] = []

    @Option(
        help: ArgumentHelp(
            "Amplify one of several sources: mic=6dB or desktop=-6dB. May be repeated.", valueName: "source=decibels"),
        transform: {
            try ForSource(named: $0, such: "--gain lark=6dB", SoundActivationOptions.Decibels.parse)
        })
    var gain: [ForSource<SoundActivationOptions.Decibels>] = []

    @Option(
        help: ArgumentHelp(
            "Place one of several sources later, or earlier, than it was captured: lark=12ms or lark=-12ms. May be repeated.",
            valueName: "source=time"),
        transform: { try ForSource(named: $0, such: "--delay lark=12ms", Delay.init) })
    var delay: [ForSource<Delay>] = []

    /// A source as it is written. A bare number is a length elsewhere, so that of a source has a sign.
    private static func source(_ text: String) throws -> String {
        let isNumber = { (text: Substring) in !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber } }
        if text.first == "#", isNumber(text.dropFirst()) { return String(text.dropFirst()) }
        guard !isNumber(text[...]) else {
            throw ValidationError(
                "a bare number is no source. --max \(text) sets a length; -d '#\(text)' is source \(text) of 'accrec devices'"
            )
        }
        return text
    }

    /// What `-d` names: `desktop` and `default` are no sources, but what people call them.
    private static func input(ofDevice name: String) -> RecordingInput {
        switch name {
        case "desktop": .desktop
        case "default": .source(nil)
        default: .source(name)
        }
    }

    /// Which inputs must be there.
    enum RequiredInputs: String, ChoiceArgument {
        case first, all
    }

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        configuration.inputs = inputs
        configuration.inputLayout = layout
        configuration.interruptions.requiresAllInputs = required == .all
        configuration.channels.numbers = channels(of: nil)
        if inputs.count == 1 {
            configuration.channels.numbers += channels(of: inputs[0].name)
        } else {
            configuration.inputSettings = inputSettings
        }
    }

    /// What is recorded, in this order: the first is the recording's clock.
    var inputs: [RecordingInput] {
        if let list { return list }
        let named: [RecordingInput] =
            (mic ? [.source(nil)] : []) + device.map(Self.input) + app.map { .application($0) }
            + (desktop ? [.desktop] : [])
        return named.isEmpty ? [.source(nil)] : named
    }

    /// The first option that names another source than the microphone; nil if none does.
    var sourceOption: String? {
        !device.isEmpty ? "--device" : !app.isEmpty ? "--app" : desktop ? "--desktop" : nil
    }

    /// Whether one of them at least is an application.
    var hasApplication: Bool {
        inputs.contains { if case .application = $0 { true } else { false } }
    }

    /// How many channels are selected of each source of which some are.
    var selectedCounts: [Int] {
        inputs.compactMap { input in
            let own = channels(of: input.name)
            return [own, channels(of: nil)].first { !$0.isEmpty }?.count
        }
    }

    /// The channels that are selected of a source; nil for those of all.
    private func channels(of source: String?) -> [Int] { select.values(for: source).flatMap(\.numbers) }

    private var inputSettings: [RecordingInput: InputSettings] {
        var all: [RecordingInput: InputSettings] = [:]
        for input in inputs {
            let settings = InputSettings(
                selectedChannels: channels(of: input.name),
                gain: gain.values(for: input.name).last?.value ?? 0,
                delay: .seconds(delay.values(for: input.name).last?.seconds ?? 0))
            if settings != InputSettings() { all[input] = settings }
        }
        return all
    }

    func validate() throws {
        if list != nil, let other = sourceOption ?? (mic ? "--mic" : nil) {
            throw ValidationError("--inputs and \(other) exclude each other")
        }
        guard inputs.count > 1 || gain.isEmpty && delay.isEmpty else {
            throw ValidationError(
                gain.isEmpty
                    ? "--delay places one of several sources, and only one is recorded"
                    : "--gain is for one of several sources, and only one is recorded. Set the volume of the source itself, "
                        + "as with pactl set-source-volume.")
        }
        let names = inputs.map(\.name)
        guard names.count == Set(names).count else { throw ValidationError("name each source once") }
        for (option, sources) in [
            ("--select", select.map(\.source)), ("--gain", gain.map(\.source)), ("--delay", delay.map(\.source)),
        ] {
            guard let other = sources.compactMap({ $0 }).first(where: { !names.contains($0) }) else { continue }
            throw ValidationError(
                "\(option) names '\(other)', which is not recorded. Name one of: \(names.joined(separator: ", ")).")
        }
    }
}

/// A value for one of several sources, `lark=1-4`, or for each that has none of its own: `1-4`.
struct ForSource<Value> {
    /// As `RecordingInput.name`; nil for all.
    let source: String?
    let value: Value

    init(_ text: String, _ parse: (String) throws -> Value) throws {
        // No value has this character, but a source's name may.
        let parts = text.lastIndex(of: "=").map { (text[..<$0], text[text.index(after: $0)...]) }
        source = parts.map { String($0.0) }
        value = try parse(parts.map { String($0.1) } ?? text)
    }

    /// Parses a value that needs a source.
    ///
    /// - Parameter example: A right one, for the error about a value without a source.
    init(named text: String, such example: String, _ parse: (String) throws -> Value) throws {
        guard text.contains("=") else {
            throw ValidationError("give one of several sources and its value, such as --inputs mic,lark \(example)")
        }
        try self.init(text, parse)
    }
}

extension Array {
    /// Those of a source; nil for those of all, in their order.
    fileprivate func values<Value>(for source: String?) -> [Value] where Element == ForSource<Value> {
        filter { $0.source == source }.map(\.value)
    }
}

extension InputOptions {
    /// A time as given to `--delay`: `12ms`, `-0.5` or `1.5s`.
    struct Delay {
        let seconds: Double

        init(_ text: String) throws {
            let isNegative = text.hasPrefix("-")
            let length = text == "0" ? 0 : RecordingLength(isNegative ? String(text.dropFirst()) : text)?.seconds
            guard let length, length <= InputSettings.longestDelay.seconds else {
                throw ValidationError("give a time of up to 5 s, such as 12ms or -0.5")
            }
            seconds = isNegative ? -length : length
        }
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
                var configuration = ACCAudioRecorder.Configuration()
                configuration.capture.serverName = serverName
                return try await ACCAudioRecorder.applicationList(for: configuration).applications.map(\.name)
            }
        }

        private static func answer(_ ask: @escaping @Sendable () async throws -> [String]) -> [String] {
            let names = Promise<[String]>()
            Task.detached { names.fulfil((try? await ask()) ?? []) }
            return names.wait(for: longestWait) ?? []
        }
    }
}
