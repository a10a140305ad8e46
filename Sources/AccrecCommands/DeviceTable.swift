import ACCAudioRecorder

/// The list of sources as `accrec devices` prints it: two lines a source, and which one is taken.
struct DeviceTable {
    let list: SourceList

    var text: String {
        guard !list.sources.isEmpty else { return "" }
        let chosen = try? list.choice.get().source
        let lines = list.sources.map { source in
            let marks = (source.id == chosen?.id ? ">" : " ") + (source.isDefault ? "*" : " ")
            let notes = notes(on: source).map { "  [\($0)]" }.joined()
            return
                "\(marks) \(source.name)\(notes)\n     \(source.description): \(source.sampleSpec), \(source.state)\n"
        }
        return lines.joined() + "taken: \(Self.text(of: list.choice))\n"
    }

    /// Why that source is taken, or why none is.
    static func text(of choice: Result<SourceChoice, ACCAudioRecorderError>) -> String {
        switch choice {
        case .success(let choice): "\(choice)"
        case .failure(let error): "none; \(error)"
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
