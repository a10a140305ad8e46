import ACCAudioRecorder
import FoundationEssentials

extension RecordingOutput {
    /// The output for audio that is saved beside a recording, of which this is the first output.
    ///
    /// - Parameter path: The file, whose extension decides its format; nil for a name beside the recording's file that is free.
    /// - Throws: `outputFailed` if the format is unknown.
    func saving(to path: String?) throws -> RecordingOutput? {
        var output = self
        (output.replacesExisting, output.isBroadcastWave) = (false, container.hasBroadcastInfo ? isBroadcastWave : nil)
        if !container.hasBroadcastInfo { output.guano = nil }
        if let path {
            var named = try RecordingOutput(
                path: path, sampleRate: format.sampleRate.value, channelCount: format.channelCount.value)
            guard named.container == container else {
                let encodings = named.container.encodings
                // The widest, if that of the recording, which may be the source's, is not known to fit.
                if !encodings.contains(.f32) { named.format.encoding = .init(encodings.last) }
                if let encoding = format.encoding.value, encodings.contains(encoding) {
                    named.format.encoding = .given(encoding)
                }
                return named
            }
            output.destination = named.destination
            return output
        }
        switch destination {
        case .descriptor: return nil
        case .file(let path):
            let template = FilePattern.escaped(path.absolutePath)
            output.destination = .pattern(try FilePattern(Self.savedName(template)))
        case .pattern(let pattern):
            let isAbsolute = pattern.template.hasPrefix("/")
            let directory = isAbsolute ? "" : FilePattern.escaped("".absolutePath)
            output.destination = .pattern(try FilePattern(Self.savedName(directory + pattern.template)))
        }
        return output
    }

    private static func savedName(_ path: String) -> String {
        PathStem(path).path(suffix: "-saved-{n}")
    }

    /// Whether it is a file at this absolute path.
    func isFile(at path: String) -> Bool {
        guard case .file(let own) = destination else { return false }
        return own.absolutePath == path.absolutePath
    }
}
