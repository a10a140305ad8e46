import ACCAudioRecorder

/// What became of an output, as people read it: a line for each file or, where there are many, one for all of them, and
/// one that says whether they hold what the source delivered.
struct OutputText {
    /// Its files, one after the other; not empty.
    var pieces: [OutputReport]

    /// How many files are listed.
    private static let listedCount = 3

    /// Whether this is the next file of the same output.
    func continues(in piece: OutputReport) -> Bool {
        guard let last = pieces.last, piece.firstFrame > 0 else { return false }
        return last.firstFrame + last.frameCount == piece.firstFrame && last.sampleRate == piece.sampleRate
            && last.output.container == piece.output.container
    }

    var lines: [String] {
        guard let first = pieces.first, let last = pieces.last, pieces.count > Self.listedCount else {
            return pieces.map { line(Self.name(of: $0), of: [$0]) } + [fidelity]
        }
        let names = "\(pieces.count) files, \(Self.name(of: first)) to \(Self.name(of: last))"
        return [line(names, of: pieces), fidelity]
    }

    /// Where an output goes.
    static func name(of output: OutputReport) -> String {
        switch output.output.destination {
        case .file(let path): path
        case .pattern(let pattern): pattern.template
        case .descriptor(1): "(standard output)"
        case .descriptor(let number): "(descriptor \(number))"
        }
    }

    private func line(_ names: String, of pieces: [OutputReport]) -> String {
        let output = pieces[0]
        let frames = pieces.reduce(0) { $0 + $1.frameCount }
        let bytes = pieces.reduce(0) { $0 + $1.byteCount }
        let length = TimeText.clock(Double(frames) / Double(output.sampleRate), decimals: 3)
        let encoding = output.output.encoding.map { " \($0)" } ?? ""
        let map = output.channelMap
        let channelNames = map == .standard(channelCount: map.channelCount) ? "" : " (\(map))"
        let channels = "\(map.channelCount) channel\(map.channelCount == 1 ? "" : "s")\(channelNames)"
        let format = "\(output.output.container)\(encoding), \(output.sampleRate) Hz, \(channels)"
        return "written   \(names): \(length), \(frames) frames, \(format), \(bytes) bytes"
    }

    private var fidelity: String {
        let alterations = pieces.flatMap(\.alterations).reduce(into: [Alteration]()) { all, alteration in
            if !all.contains(alteration) { all.append(alteration) }
        }
        if alterations.isEmpty { return "bit-exact yes" }
        let answer = alterations.contains(where: \.isCertain) ? "no" : "perhaps not"
        return "bit-exact \(answer), because " + alterations.map(\.description).joined(separator: ", and ")
    }
}
