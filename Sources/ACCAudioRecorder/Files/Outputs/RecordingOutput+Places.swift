// Checks that the outputs of a recording are different files.

extension RecordingOutput {
    /// Throws an error for two outputs with the same file, and for an output with a reserved path.
    ///
    /// - Parameter reserved: Paths of files that no output may overwrite.
    static func checkPlaces(of outputs: [RecordingOutput], reserved: [String]) throws(ACCAudioRecorderError) {
        let reserved = Set(reserved.flatMap(FileKey.keys))
        var owners: [FileKey: RecordingOutput.Destination] = [:]
        for (index, output) in outputs.enumerated() {
            let isRepeated = outputs[..<index].contains { $0.destination == output.destination }
            let keys = output.destination.keys
            let owner = isRepeated ? output.destination : keys.compactMap { owners[$0] }.first
            if let owner {
                let cause =
                    owner == output.destination ? "two outputs go to the same place" : "\(owner) is the same file"
                throw Self.conflict("cannot record to \(output.destination) twice", cause: cause)
            }
            guard reserved.isDisjoint(with: keys + output.destination.markerKeys) else {
                throw Self.conflict(
                    "cannot record to \(output.destination)",
                    cause: "the program itself uses it, or its marker file")
            }
            for key in keys { owners[key] = output.destination }
        }
        for output in outputs {
            guard let owner = output.destination.markerKeys.compactMap({ owners[$0] }).first else { continue }
            throw Self.conflict(
                "cannot record to \(owner)", cause: "the marker file of \(output.destination) has that name")
        }
    }

    private static func conflict(_ what: String, cause: String) -> ACCAudioRecorderError {
        .outputFailed(.init(.invalidFormat, what, cause: cause, remedy: "Give each its own file."))
    }
}

extension RecordingOutput.Destination {
    /// Whether it is a descriptor, or an existing named pipe or device.
    package var isStream: Bool {
        switch self {
        case .file(let path): OutputPlace.isStream(path)
        case .descriptor: true
        case .pattern: false
        }
    }

    /// The keys of the first file; empty if its name is chosen later.
    package var keys: [FileKey] {
        switch self {
        case .file(let path): FileKey.keys(ofPath: path)
        case .descriptor(let number): FileKey.keys(ofDescriptor: number)
        case .pattern: []
        }
    }

    /// The keys of the marker sidecar of the first file.
    package var markerKeys: [FileKey] {
        guard case .file(let path) = self else { return [] }
        return FileKey.keys(ofPath: MarkerSidecar.path(besides: path))
    }
}
