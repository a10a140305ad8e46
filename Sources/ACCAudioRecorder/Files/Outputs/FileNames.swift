import SystemPackage

/// The paths of one output's files, in order.
///
/// If the program chooses the name, for a pattern or for a later file, it never uses that of an existing file but takes
/// the next number. Only the first file of an output may replace an existing one, if that was requested.
struct FileNames {
    /// The destination of one file.
    struct Name {
        let destination: RecordingOutput.Destination
        let replacesExisting: Bool
        /// Whether the next name may be used instead if another program takes this one first.
        let isChosen: Bool
    }

    private var destination: RecordingOutput.Destination
    private let replacesExisting: Bool
    private let sourceName: String
    private let modeName: String
    /// Paths of files that must not be used, whether they exist yet or not.
    private let reserved: [String]
    private let used: FileNumbers?
    /// The number of the last file; 0 before the first.
    private(set) var number = 0
    /// The old and new paths of directories that were renamed, in order.
    private var moves: [(from: String, to: String)] = []

    /// - Parameters:
    ///   - reserved: Paths of files that must not be used, whether they exist yet or not.
    ///   - used: The numbers of earlier files, which are not used again; nil if those that exist are enough.
    init(
        _ output: RecordingOutput, sourceName: String, modeName: String, reserved: [String] = [],
        used: FileNumbers? = nil
    ) {
        destination = output.destination
        replacesExisting = output.replacesExisting
        self.sourceName = sourceName
        self.modeName = modeName
        self.reserved = reserved
        self.used = used
    }

    /// Follows a renamed directory: later files are created at its new path.
    ///
    /// - Parameters:
    ///   - old: Its path when a file was created in it.
    ///   - new: Its present path.
    mutating func followMove(from old: String, to new: String) {
        let known = place(of: old)
        if known != new { moves.append((known, new)) }
    }

    /// Continues the numbers of a pattern that has nothing else to tell files by, after those that were removed as well.
    mutating func `continue`(after number: Int) {
        if case .pattern(let pattern) = destination, pattern.hasNumber, pattern.path(number: 1) != nil {
            self.number = max(self.number, number)
        }
    }

    /// The destination of the next file; always the same for a descriptor.
    ///
    /// - Parameter time: When the file begins.
    mutating func next(at time: WallClock) -> Name {
        number += 1
        switch destination {
        case .descriptor:
            return Name(destination: destination, replacesExisting: false, isChosen: false)
        case .file(let path):
            guard number > 1 else { return name(path, replaces: replacesExisting, isChosen: false) }
            let stem = PathStem(moved(path))
            number = firstNumber(from: number, replaces: false, stem.path)
            return name(stem.path(number), replaces: false, isChosen: true)
        case .pattern(let pattern):
            let pathOf = { [sourceName, modeName, self] (number: Int) in
                fitting(moved(pattern.path(at: time, sourceName: sourceName, modeName: modeName, number: number)))
            }
            if pattern.hasNumber {
                number = firstNumber(from: used?.next(in: pattern, from: number) ?? number, replaces: false, pathOf)
                used?.use(number, in: pattern)
                return name(pathOf(number), replaces: false, isChosen: true)
            }
            let stem = PathStem(pathOf(number))
            let replaces = replacesExisting && number == 1
            let free = firstNumber(from: 1, replaces: replaces, stem.path)
            return name(stem.path(free), replaces: replaces, isChosen: !replaces)
        }
    }

    private func name(_ path: String, replaces: Bool, isChosen: Bool) -> Name {
        Name(destination: .file(path: path), replacesExisting: replaces, isChosen: isChosen)
    }

    /// The first number whose path is neither reserved nor taken.
    private func firstNumber(from first: Int, replaces: Bool, _ pathOf: (Int) -> String) -> Int {
        let keys = Set(reserved.flatMap(FileKey.keys))
        var number = first
        while !keys.isDisjoint(with: FileKey.keys(ofPath: pathOf(number)))
            || !replaces && PathStem.isTaken(pathOf(number))
        {
            number += 1
        }
        return number
    }

    /// A path that the file system of its directory takes.
    private func fitting(_ path: String) -> String {
        HostFileSystem(of: AtomicFile.directory(of: path))?.fitting(path) ?? path
    }

    /// The path of a file of this output, after any renaming of its directory.
    func moved(_ path: String) -> String {
        let directory = AtomicFile.directory(of: path)
        let place = place(of: directory)
        return place == directory ? path : "\(place)/\(FilePath(path).lastComponent?.string ?? "")"
    }

    /// The present path of a directory.
    private func place(of directory: String) -> String {
        moves.reduce(directory) { $0 == $1.from ? $1.to : $0 }
    }
}
