/// Chooses the streams of the application that a recording captures, without asking the server, so that every rule can be
/// tested without one.
struct ApplicationSelection {
    /// The streams that programs play, in the server's order.
    let playing: [ApplicationStream]

    /// What a recording captures of an application, once it is known which one that is.
    struct Choice: Sendable, Hashable {
        /// The program, and its process if it is still playing.
        let owner: StreamOwner
        /// A part of the title of the streams to capture; nil for all.
        let title: String?
        /// The streams to capture.
        var streams: [ApplicationStream]
    }

    /// The application that was requested.
    ///
    /// - Returns: nil if it plays nothing.
    /// - Throws: `audioEngineStartFailed` if several processes match, listing them.
    func choice(requested: String) throws(ACCAudioRecorderError) -> Choice? {
        let (found, title) = candidates(for: requested)
        guard let first = found.first else { return nil }
        guard found.allSatisfy({ $0.owner.isSameProcess(as: first.owner) }) else { throw ambiguous(requested, found) }
        return Choice(owner: first.owner, title: title, streams: found)
    }

    /// The application that was requested, or of several that match the one that began first: for a recording that is
    /// already waiting for it.
    func firstChoice(requested: String) -> Choice? {
        let (found, title) = candidates(for: requested)
        let first = found.min { $0.index < $1.index }
        return first.map { first in
            Choice(
                owner: first.owner, title: title, streams: found.filter { $0.owner.isSameProcess(as: first.owner) })
        }
    }

    /// What the same application plays now. A stream that is being captured is kept, whatever its title is now. If the
    /// process has ended, or plays nothing, another process of the same program takes its place.
    func choice(continuing choice: Choice) -> Choice {
        let own = playing.filter { stream in
            stream.owner.isSameProgram(as: choice.owner)
                && (choice.title.map { stream.hasTitle($0) } != false
                    || choice.streams.contains { $0.index == stream.index && $0.owner == stream.owner })
        }
        let owner =
            own.contains { $0.owner.isSameProcess(as: choice.owner) }
            ? choice.owner : own.min { $0.index < $1.index }?.owner ?? choice.owner
        return Choice(
            owner: owner, title: choice.title, streams: own.filter { $0.owner.isSameProcess(as: owner) })
    }

    /// Whether a program is the one that was requested, as far as its names say.
    static func matches(_ owner: StreamOwner, requested: String) -> Bool {
        Self.parts(of: requested).contains { owner.isNamed($0.application) || owner.isNamed(partly: $0.application) }
    }
}

// MARK: - Choice by name

extension ApplicationSelection {
    /// The streams that match equally well, and the part of their title that was requested.
    private func candidates(for requested: String) -> (streams: [ApplicationStream], title: String?) {
        for (application, title) in Self.parts(of: requested) {
            let found = candidates(forApplication: application).filter { stream in
                title.map { stream.hasTitle($0) } ?? true
            }
            if !found.isEmpty { return (found, title) }
        }
        guard !requested.isEmpty, !requested.isNumber else { return ([], nil) }
        return (playing.filter { $0.hasTitle(requested) }, requested)
    }

    /// The request as the name of an application, then split at each colon into a name and a title.
    private static func parts(of requested: String) -> [(application: String, title: String?)] {
        [(requested, nil)]
            + requested.indices.filter { requested[$0] == ":" }.map { colon in
                (String(requested[..<colon]), String(requested[requested.index(after: colon)...]))
            }
    }

    /// A number is never part of a name: if its process has ended, it must not match another one.
    private func candidates(forApplication name: String) -> [ApplicationStream] {
        guard !name.isEmpty else { return [] }
        guard !name.isNumber else { return playing.filter { $0.owner.processID == name } }
        let named = playing.filter { $0.owner.isNamed(name) }
        return named.isEmpty ? playing.filter { $0.owner.isNamed(partly: name) } : named
    }
}

extension StreamOwner {
    /// The name by which a person knows the program.
    var displayName: String { name ?? binary ?? "?" }

    fileprivate func isNamed(_ text: String) -> Bool {
        processID == text || [name, binary].contains { $0?.lowercased() == text.lowercased() }
    }

    fileprivate func isNamed(partly text: String) -> Bool {
        !text.isEmpty && !text.isNumber
            && [name, binary].contains { $0?.lowercased().contains(text.lowercased()) ?? false }
    }
}

extension ApplicationStream {
    fileprivate func hasTitle(_ part: String) -> Bool { title.lowercased().contains(part.lowercased()) }
}

extension String {
    fileprivate var isNumber: Bool {
        !isEmpty && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

// MARK: - Errors

extension ApplicationSelection {
    /// The names of the applications that play, each once.
    var names: [String] {
        playing.map(\.owner.displayName).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// The application that was probably meant by a misspelt name.
    func nearest(to requested: String) -> String? {
        let names = playing.flatMap { [$0.owner.name, $0.owner.binary].compactMap(\.self) }
        guard requested.contains(where: \.isLetter) else { return nil }
        return NearestWord.to(requested, among: names)
    }

    private func ambiguous(_ requested: String, _ found: [ApplicationStream]) -> ACCAudioRecorderError {
        var rest = found[...]
        var candidates: [ACCAudioRecorderError.Failure.Choice] = []
        while let owner = rest.first?.owner {
            let titles = rest.filter { $0.owner.isSameProcess(as: owner) }.map(\.title).filter { !$0.isEmpty }
            rest.removeAll { $0.owner.isSameProcess(as: owner) }
            let details = [owner.displayName] + titles.map { "'\($0)'" }
            let name = owner.processID ?? owner.displayName
            candidates.append(.init(name: name, details: details.joined(separator: ", ")))
        }
        return .audioEngineStartFailed(
            .init(
                .ambiguousSource, "cannot record the application '\(requested)'",
                cause: "it matches \(candidates.count) applications",
                remedy: "Give a title, or the process ID of one of", choices: candidates))
    }
}
