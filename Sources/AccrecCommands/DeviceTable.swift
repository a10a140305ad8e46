import ACCAudioRecorder

/// The list of sources as `accrec devices` prints it: two lines a source.
struct DeviceTable {
    let sources: [AudioSource]

    var text: String {
        sources.map { source in
            let mark = source.isDefault ? "*" : " "
            let notes = notes(on: source).map { "  [\($0)]" }.joined()
            return "\(mark) \(source.name)\(notes)\n    \(source.description): \(source.sampleSpec)\n"
        }.joined()
    }

    private func notes(on source: AudioSource) -> [String] {
        var notes: [String] = []
        if source.isMonitor { notes.append("monitor") }
        if source.isFilter { notes.append("filter") }
        if source.isMuted { notes.append("muted") }
        if !source.volume.isUnity { notes.append("volume \(source.volume)") }
        return notes
    }
}
