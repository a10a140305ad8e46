import Glibc

/// Chooses the source of a recording, without asking the server, so that every rule can be tested without one.
struct SourceSelection {
    let sources: [AudioSource]
    /// Sources whose stated format or channel map cannot be captured.
    var unusable: [UnusableSource] = []
    let defaultSinkName: String?
    var allowsBluetooth = false
    var allowsMonitor = false

    /// The source that a recording uses, and why.
    ///
    /// - Parameters:
    ///   - requested: A source's name, `@DEFAULT_SOURCE@`, `@DEFAULT_MONITOR@`, the server's index, or a part of a name
    ///     or description that matches only one source; nil to choose by the rules.
    ///   - byEnvironment: The same, used if nothing is requested.
    /// - Throws: `audioEngineStartFailed`, listing the available sources.
    func choice(requested: String?, byEnvironment: String? = nil) throws(ACCAudioRecorderError) -> SourceChoice {
        if let requested { return SourceChoice(source: try match(requested), reason: .named) }
        if let byEnvironment { return SourceChoice(source: try match(byEnvironment), reason: .namedByEnvironment) }
        return try automaticChoice()
    }

    /// The source of `choice(requested:byEnvironment:)`.
    func source(requested: String?) throws(ACCAudioRecorderError) -> AudioSource {
        try choice(requested: requested).source
    }
}

// MARK: - Automatic choice

extension SourceSelection {
    /// The server's default, which the user chose for all programs, or the best other source if that cannot be used.
    private func automaticChoice() throws(ACCAudioRecorderError) -> SourceChoice {
        let best = sources.filter(isAllowed).min { Self.rank($0) < Self.rank($1) }
        guard let best else { throw nothingToChoose }
        guard let defaultSource = sources.first(where: \.isDefault) else {
            return SourceChoice(source: best, reason: .best(.missing))
        }
        if !isAllowed(defaultSource) {
            return SourceChoice(source: best, reason: .best(defaultSource.isMonitor ? .monitor : .bluetooth))
        }
        if !defaultSource.isAvailable, best.isAvailable {
            return SourceChoice(source: best, reason: .best(.unavailable))
        }
        return SourceChoice(source: defaultSource, reason: .serverDefault)
    }

    private func isAllowed(_ source: AudioSource) -> Bool {
        switch source.kind {
        case .bluetooth: allowsBluetooth
        case .monitor: allowsMonitor
        case .application: false
        case .builtIn, .pci, .usb, .other, .virtual: true
        }
    }

    /// Lower is better: plugged in, not a monitor, not a filter, then by kind.
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
                .noMicrophone, what, cause: "the server has no sources", remedy: "Plug in a microphone.")
        }
        let kinds = [SourceKind.bluetooth, .monitor].filter { kind in sources.contains { $0.kind == kind } }
        let names = kinds.map {
            $0 == .bluetooth ? "Bluetooth microphones" : "monitors (what the desktop plays)"
        }
        return failure(
            .noMicrophone, what, cause: "the server has only \(names.joined(separator: " and "))",
            remedy: "Plug in a microphone, allow those, or name one of", choices: choices(of: sources),
            recoveryOption: .allowSources(
                bluetooth: kinds.contains(.bluetooth), monitor: kinds.contains(.monitor)))
    }
}

// MARK: - Choice by name

extension SourceSelection {
    /// The source with exactly this name.
    func source(named name: String) throws(ACCAudioRecorderError) -> AudioSource {
        guard let source = sources.first(where: { $0.name == name }) else { throw noSuchSource(name) }
        return source
    }

    /// The monitor of the sink that an application plays to, or probably will: the default sink.
    func monitor(capturing choice: ApplicationSelection.Choice?) throws(ACCAudioRecorderError) -> AudioSource {
        let monitors = sources.filter { $0.sinkIndex != nil }
        let stream = choice?.streams.first { !$0.isPaused } ?? choice?.streams.first
        let monitor =
            monitors.first { $0.sinkIndex == stream?.sinkIndex }
            ?? monitors.first { $0.name == defaultSinkName.map { $0 + ".monitor" } } ?? monitors.first
        guard let monitor else {
            throw failure(
                .noSuchSource, "cannot record an application", cause: "the server has no sink that it can play to",
                remedy: "Plug in an output device, or load module-null-sink.")
        }
        return monitor
    }

    private func match(_ requested: String) throws(ACCAudioRecorderError) -> AudioSource {
        let found = candidates(for: requested)
        guard let match = found.first else { throw noSuchSource(requested) }
        guard found.count == 1 else {
            throw failure(
                .ambiguousSource, "cannot record from '\(requested)'", cause: "it matches \(found.count) sources",
                remedy: "Name one of", choices: choices(of: found), recoveryOption: .nameSource)
        }
        return match
    }

    /// The sources that match equally well. A number is never part of a name: if its device is gone, it must not match
    /// another one.
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
        let hasDescription = { (source: AudioSource) in source.description.lowercased() == part }
        let mentions = { (source: AudioSource) in
            source.name.lowercased().contains(part) || source.description.lowercased().contains(part)
        }
        return [
            microphones.filter(hasDescription), monitors.filter(hasDescription), microphones.filter(mentions),
            monitors.filter(mentions),
        ].first { !$0.isEmpty } ?? []
    }
}

// MARK: - Errors

extension SourceSelection {
    private func failure(
        _ reason: ACCAudioRecorderError.Failure.Reason, _ what: String, cause: String, remedy: String,
        choices: [ACCAudioRecorderError.Failure.Choice] = [],
        recoveryOption: ACCAudioRecorderError.Failure.RecoveryOption? = nil
    ) -> ACCAudioRecorderError {
        .audioEngineStartFailed(
            .init(reason, what, cause: cause, remedy: remedy, choices: choices, recoveryOption: recoveryOption))
    }

    private func noSuchSource(_ requested: String) -> ACCAudioRecorderError {
        if let source = unusable.first(where: { $0.name == requested }) {
            return failure(
                .invalidFormat, "cannot record from '\(requested)'", cause: "the server states \(source.statedFormat)",
                remedy: "Check the sound server's log, or record from another source.")
        }
        let parts = requested.split(separator: ",").map { $0.drop(while: \.isWhitespace) }
        let areSources = parts.count > 1 && parts.allSatisfy { !candidates(forPart: $0.lowercased()).isEmpty }
        if areSources {
            let names = parts.map { String($0) }
            return failure(
                .noSuchSource, "cannot record from '\(requested)'", cause: "no such source",
                remedy: "Give \(names.map { "'\($0)'" }.joined(separator: " and ")) as a source each, or name one of",
                choices: choices(of: sources), recoveryOption: .nameInputs(names))
        }
        let hint = nearest(to: requested).map { "Did you mean '\($0.name)'? " } ?? ""
        return failure(
            .noSuchSource, "cannot record from '\(requested)'", cause: "no such source",
            remedy: sources.isEmpty ? "The server has no sources: plug in a microphone." : "\(hint)Name one of",
            choices: choices(of: sources), recoveryOption: .nameSource)
    }

    /// The source that was probably meant by a misspelt name, description, or word of either: a microphone if one is near.
    private func nearest(to requested: String) -> AudioSource? {
        nearest(to: requested, among: sources.filter { !$0.isMonitor })
            ?? nearest(to: requested, among: sources.filter(\.isMonitor))
    }

    private func nearest(to requested: String, among sources: [AudioSource]) -> AudioSource? {
        let words = sources.flatMap { source in
            [source.name, source.description].flatMap { Self.wordings($0) }.map { (word: $0, source: source) }
        }
        guard requested.contains(where: \.isLetter), let word = NearestWord.to(requested, among: words.map(\.word))
        else { return nil }
        return words.first { $0.word == word }?.source
    }

    /// A text, and its words of three letters or more.
    private static func wordings(_ text: String) -> [String] {
        let words = text.split { !$0.isLetter && !$0.isNumber }.filter { $0.count > 2 }
        return [text] + words.map { String($0) }
    }

    /// Sources to name, microphones first.
    private func choices(of sources: [AudioSource]) -> [ACCAudioRecorderError.Failure.Choice] {
        (sources.filter { !$0.isMonitor } + sources.filter(\.isMonitor)).map { source in
            let kind = "\(source.kind)"
            let isPlain = ![.monitor, .bluetooth].contains(source.kind)
            let isTold = isPlain || source.description.lowercased().contains(kind.lowercased())
            return .init(name: source.name, details: source.description + (isTold ? "" : ", \(kind)"))
        }
    }
}

// MARK: - Queries

extension SourceSelection {
    /// Asks the server for the sources that a recording can choose from.
    init(
        connection: any CaptureConnection, for configuration: ACCAudioRecorder.Configuration
    ) async throws(CaptureFailure) {
        let catalog = try await connection.sourceCatalog()
        (sources, unusable, defaultSinkName) = (catalog.sources, catalog.unusable, catalog.defaultSinkName)
        allowsBluetooth = configuration.capture.allowsBluetooth
        allowsMonitor = configuration.capture.allowsMonitor
    }

    /// The source that `PULSE_SOURCE` specifies, which libpulse's own clients honour too.
    static var requestedByEnvironment: String? {
        RecorderVariable.source.value.flatMap { $0.isEmpty ? nil : $0 }
    }
}
