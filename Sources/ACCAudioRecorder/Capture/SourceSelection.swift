import Glibc

/// Chooses the source of a recording: pure, so that every rule can be tested without a server.
struct SourceSelection {
    let sources: [AudioSource]
    let defaultSinkName: String?
    var allowsBluetooth = false
    var allowsMonitor = false

    /// The source that a recording takes, and why.
    ///
    /// - Parameters:
    ///   - requested: A source's name, `@DEFAULT_SOURCE@`, `@DEFAULT_MONITOR@`, the server's number, or a part of
    ///     a name or a description that fits one source only; nil to choose by the rule.
    ///   - byEnvironment: The same, for where nothing is requested.
    /// - Throws: `audioEngineStartFailed`, listing the sources there are.
    func choice(requested: String?, byEnvironment: String? = nil) throws(ACCAudioRecorderError) -> SourceChoice {
        if let requested { return SourceChoice(source: try match(requested), reason: .named) }
        if let byEnvironment { return SourceChoice(source: try match(byEnvironment), reason: .namedByEnvironment) }
        return try choiceByRule()
    }

    /// The source of `choice(requested:byEnvironment:)`.
    func source(requested: String?) throws(ACCAudioRecorderError) -> AudioSource {
        try choice(requested: requested).source
    }
}

// MARK: - Without a name

extension SourceSelection {
    /// The server's default, which is what the user chose for all programs; where that is not to be taken, the best of
    /// the others.
    private func choiceByRule() throws(ACCAudioRecorderError) -> SourceChoice {
        let best = sources.filter(isAllowed).min { Self.rank($0) < Self.rank($1) }
        guard let best else { throw nothingToChoose }
        guard let standard = sources.first(where: \.isDefault) else {
            return SourceChoice(source: best, reason: .best(.missing))
        }
        if !isAllowed(standard) {
            return SourceChoice(source: best, reason: .best(standard.isMonitor ? .monitor : .bluetooth))
        }
        if !standard.isAvailable, best.isAvailable {
            return SourceChoice(source: best, reason: .best(.unavailable))
        }
        return SourceChoice(source: standard, reason: .serverDefault)
    }

    private func isAllowed(_ source: AudioSource) -> Bool {
        switch source.kind {
        case .bluetooth: allowsBluetooth
        case .monitor: allowsMonitor
        case .builtIn, .pci, .usb, .other, .virtual: true
        }
    }

    /// Lower is better: what is plugged in, what is no monitor, what is no filter, and then by kind.
    private static func rank(_ source: AudioSource) -> (Int, Int, Int, Int) {
        (
            source.isAvailable ? 0 : 1, source.isMonitor ? 1 : 0, source.isFilter ? 1 : 0,
            SourceKind.allCases.firstIndex(of: source.kind)!
        )
    }

    private var nothingToChoose: ACCAudioRecorderError {
        let what = "cannot choose a source"
        guard !sources.isEmpty else {
            return failure(
                .noMicrophone, what, cause: "the server has no source at all", remedy: "Plug in a microphone.")
        }
        let kinds = [SourceKind.bluetooth, .monitor].filter { kind in sources.contains { $0.kind == kind } }
        let names = kinds.map {
            $0 == .bluetooth ? "Bluetooth microphones" : "monitors, which are what the desktop plays"
        }
        let switches = kinds.map { $0 == .bluetooth ? "--allow-bluetooth" : "--allow-monitor" }
        return failure(
            .noMicrophone, what, cause: "the server has only \(names.joined(separator: " and "))",
            remedy: "Plug in a microphone, give \(switches.joined(separator: " or ")), or name one of: \(listing).")
    }
}

// MARK: - By a name

extension SourceSelection {
    /// The source of exactly that name.
    func source(named name: String) throws(ACCAudioRecorderError) -> AudioSource {
        guard let source = sources.first(where: { $0.name == name }) else { throw noSuchSource(name) }
        return source
    }

    private func match(_ requested: String) throws(ACCAudioRecorderError) -> AudioSource {
        let found = candidates(for: requested)
        guard let match = found.first else { throw noSuchSource(requested) }
        guard found.count == 1 else {
            let names = found.map { "\($0.name) (\($0.description))" }
            throw failure(
                .ambiguousSource, "cannot record from '\(requested)'", cause: "it fits \(found.count) sources",
                remedy: "Name one of: \(names.joined(separator: ", ")).")
        }
        return match
    }

    /// The sources that are equally good answers. A number is never a part of a name: with the device gone, another
    /// one must not be taken for it.
    private func candidates(for requested: String) -> [AudioSource] {
        if let exact = sources.first(where: { $0.name == requested }) { return [exact] }
        switch requested {
        case "":
            return []
        case "@DEFAULT_SOURCE@":
            return sources.filter(\.isDefault)
        case "@DEFAULT_MONITOR@":
            return sources.filter { $0.isMonitor && $0.name == defaultSinkName.map { $0 + ".monitor" } }
        case _ where requested.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }:
            return sources.filter { $0.id == UInt32(requested) }
        default:
            return candidates(forPart: requested.lowercased())
        }
    }

    private func candidates(forPart part: String) -> [AudioSource] {
        let microphones = sources.filter { !$0.isMonitor }
        let monitors = sources.filter(\.isMonitor)
        let whole = { (source: AudioSource) in source.description.lowercased() == part }
        let within = { (source: AudioSource) in
            source.name.lowercased().contains(part) || source.description.lowercased().contains(part)
        }
        return [
            microphones.filter(whole), monitors.filter(whole), microphones.filter(within), monitors.filter(within),
        ].first { !$0.isEmpty } ?? []
    }
}

// MARK: - What to say

extension SourceSelection {
    private func failure(
        _ reason: ACCAudioRecorderError.Failure.Reason, _ what: String, cause: String, remedy: String
    ) -> ACCAudioRecorderError {
        .audioEngineStartFailed(.init(reason, what, cause: cause, remedy: remedy))
    }

    private func noSuchSource(_ requested: String) -> ACCAudioRecorderError {
        failure(
            .noSuchSource, "cannot record from '\(requested)'", cause: "no such source",
            remedy: sources.isEmpty
                ? "The server has no source at all: plug in a microphone." : "Name one of: \(listing).")
    }

    private var listing: String {
        sources.map { source in
            [.monitor, .bluetooth].contains(source.kind) ? "\(source.name) (\(source.kind))" : source.name
        }.joined(separator: ", ")
    }
}

// MARK: - Asking

extension SourceSelection {
    /// Asks the server what there is to choose from for a recording.
    init(
        control: PulseControl, for configuration: ACCAudioRecorder.Configuration
    ) async throws(PulseFailure) {
        let server: ServerInfo
        (server, sources) = try await control.serverAndSources()
        defaultSinkName = server.defaultSinkName
        allowsBluetooth = configuration.allowsBluetooth
        allowsMonitor = configuration.allowsMonitor
    }

    /// The source that the environment names, as libpulse's own clients honour it.
    static var requestedByEnvironment: String? {
        guard let value = getenv("PULSE_SOURCE"), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
