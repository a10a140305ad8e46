import ACCAudioRecorder
import ArgumentParser

/// The files that a command reads and writes, which must all be different files, whatever their names.
struct OwnFiles {
    /// The paths of those that are not outputs.
    private(set) var paths: [String] = []
    private var names: [FileKey: String] = [:]
    /// Marker files of several outputs may share a name, since they are numbered then.
    private var markerNames: [FileKey: String] = [:]

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - name: What it is, for messages: `the report`.
    ///   - path: Nil if there is none.
    /// - Throws: `ValidationError` if the same file was added before.
    mutating func add(_ name: String, _ path: String?) throws {
        guard let path else { return }
        let keys = FileKey.keys(ofPath: path)
        try check("\(name) '\(path)'", keys, against: markerNames)
        try add("\(name) '\(path)'", keys)
        paths.append(path)
    }

    /// Adds the files of outputs.
    mutating func add(_ outputs: [RecordingOutput]) throws {
        for output in outputs { try add("the output \(output.destination)", output.destination.keys) }
        for output in outputs {
            let name = "the marker file of \(output.destination)"
            try check(name, output.destination.markerKeys, against: names)
            for key in output.destination.markerKeys { markerNames[key] = name }
        }
    }

    private mutating func add(_ name: String, _ keys: [FileKey]) throws {
        try check(name, keys, against: names)
        for key in keys { names[key] = name }
    }

    private func check(_ name: String, _ keys: [FileKey], against names: [FileKey: String]) throws {
        guard let other = keys.compactMap({ names[$0] }).first else { return }
        throw ValidationError("\(name) is the same file as \(other). Give each its own file.")
    }
}
