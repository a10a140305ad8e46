import ACCAudioRecorder

/// The list of sources as `accrec devices` prints it: two lines per source with its number, then the one that would be
/// chosen.
struct DeviceTable {
    let list: SourceList

    var lines: [String] {
        guard !list.sources.isEmpty else { return [] }
        let chosen = try? list.choice.get().source
        let width = list.sources.map { "\($0.id)".count }.max() ?? 0
        let lines = list.sources.flatMap { source in
            let marks = (source.id == chosen?.id ? ">" : " ") + (source.isDefault ? "*" : " ")
            let notes = notes(on: source).map { "  [\($0)]" }.joined()
            let number = "\(source.id)"
            let padding = String(repeating: " ", count: width - number.count)
            return [
                "\(marks) \(padding)\(number)  \(source.name)\(notes)",
                String(repeating: " ", count: width + 7)
                    + "\(source.description): \(source.sampleSpec), \(source.state)",
            ]
        }
        return lines + ["recorded by default: \(Self.text(of: list.choice))"]
    }

    /// Why a source would be chosen, or why none would be.
    static func text(of choice: Result<SourceChoice, ACCAudioRecorderError>) -> String {
        switch choice {
        case .success(let choice) where choice.reason == .named: "named by --device or the configuration file"
        case .success(let choice): "\(choice)"
        case .failure(let error): "none; \(ErrorText.line(error))"
        }
    }

    private func notes(on source: AudioSource) -> [String] {
        var notes = ["\(source.kind)"]
        if source.isFilter { notes.append("filter") }
        if source.isMuted { notes.append("muted") }
        if !source.volume.isUnity { notes.append("volume \(source.volume)") }
        if !source.isAvailable { notes.append("not plugged in") }
        return notes
    }
}
