extension RecordingOutput {
    /// The size in bytes that its files cannot exceed, so that the next one begins there, and the directory where that holds; nil if
    /// there is none, and for what is no file.
    package var fileSizeLimit: (byteCount: Int, directory: String)? {
        let directory: String
        switch destination {
        case .descriptor: return nil
        case .file(let path) where OutputPlace.isStream(path): return nil
        case .file(let path): directory = AtomicFile.directory(of: path)
        case .pattern(let pattern): directory = pattern.directory
        }
        let system = HostFileSystem(of: directory)
        let limits = [system?.largestFile, HostFileSystem.largestFileOfProcess].compactMap(\.self)
        // Smaller files are not valid.
        guard let least = limits.min(), least >= SplittingPolicy.smallestFile else { return nil }
        return (least, system?.directory ?? directory)
    }
}

extension SplittingPolicy {
    /// This policy with files that their file systems hold.
    func withinLimits(of outputs: [RecordingOutput]) -> SplittingPolicy {
        var policy = self
        policy.fileSize = (outputs.compactMap { $0.fileSizeLimit?.byteCount } + [fileSize].compactMap(\.self)).min()
        return policy
    }
}
