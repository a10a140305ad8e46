/// The paths of the files of one output, one after the other.
///
/// Where a later one has a name that is taken, it has the first number after that which is not.
struct FileNames {
    private let destination: RecordingOutput.Destination
    private let replacesExisting: Bool
    private let source: AudioSource
    private let mode: ACCAudioRecorder.AudioSessionMode
    /// Of the last file; 0 before the first.
    private var number = 0

    init(_ output: RecordingOutput, source: AudioSource, mode: ACCAudioRecorder.AudioSessionMode) {
        destination = output.destination
        replacesExisting = output.replacesExisting
        self.source = source
        self.mode = mode
    }

    /// Where the next file goes; for a descriptor, that.
    ///
    /// - Parameter time: When the file begins.
    mutating func next(at time: WallClock) -> RecordingOutput.Destination {
        number += 1
        switch destination {
        case .descriptor:
            return destination
        case .file(let path):
            let stem = PathStem(path)
            if number > 1, !replacesExisting { number = stem.firstFree(from: number) }
            return .file(path: stem.path(number))
        case .pattern(let pattern):
            let pathOf = { [source, mode] (number: Int) in
                pattern.path(at: time, source: source, mode: mode, number: number)
            }
            if pattern.hasNumber {
                while PathStem.isTaken(pathOf(number)) { number += 1 }
                return .file(path: pathOf(number))
            }
            let stem = PathStem(pathOf(number))
            let isNew = number == 1 || !PathStem.isTaken(stem.path(1))
            return .file(path: stem.path(isNew ? 1 : stem.firstFree(from: 2)))
        }
    }
}
