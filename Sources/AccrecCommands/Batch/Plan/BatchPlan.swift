import ACCAudioRecorder

/// What a batch will record, fully checked before the first take.
struct BatchPlan {
    /// The maximum number of takes in a batch.
    static let maximumTakes = 100_000

    private(set) var rows: [Row] = []
    private(set) var takeCount = 0
    private(set) var obstacles = BatchObstacles()
    /// The manifest line that names each file, by the hash of its key; 0 for the batch's own files. Of 100,000 keys, two share
    /// one of 2^64 hashes once in four billion batches.
    private var lines: [Int: Int32] = [:]

    /// - Parameters:
    ///   - manifest: Its rows are given up one by one, so that they are not in memory together with the takes.
    ///   - isContinued: Whether output files may exist already.
    ///   - own: The batch's own files, which no take may overwrite.
    init(
        _ manifest: consuming Manifest, _ reader: RowReader, isContinued: Bool, own: [String],
        mistakes: inout FileMistakes
    ) {
        var reader = reader
        var rest = (consume manifest).rows
        rest.reverse()
        // Growing by doubling takes more than twice as much.
        let expectedCount = min(rest.count, Self.maximumTakes)
        rows.reserveCapacity(expectedCount)
        lines.reserveCapacity(expectedCount)
        for key in own.flatMap(FileKey.keys) { lines[key.hashValue] = 0 }
        while !mistakes.isFull, let row = rest.popLast() {
            guard let row = reader.takes(of: row, &mistakes) else { continue }
            takeCount += row.takes.count
            guard takeCount <= Self.maximumTakes else {
                mistakes.add("more than \(Self.maximumTakes) takes", line: row.takes[0].line)
                return
            }
            for take in row.takes where !mistakes.isFull { check(take, isContinued: isContinued, &mistakes) }
            let first = takeCount - row.takes.count
            rows.append(row.numbered(from: first + 1))
        }
    }

    /// Reports takes that are certain to fail.
    private mutating func check(_ take: BatchTake, isContinued: Bool, _ mistakes: inout FileMistakes) {
        var isMistaken = false
        for path in take.paths {
            let keys = FileKey.keys(ofPath: path).map(\.hashValue)
            let line = keys.compactMap { lines[$0] }.first
            for key in keys where lines[key] == nil { lines[key] = Int32(clamping: take.line) }
            guard let line else { continue }
            isMistaken = true
            let other =
                line == 0
                ? "the batch itself uses that file"
                : Int(line) == take.line ? "this row names it twice" : "line \(line) does too"
            mistakes.add("it records to '\(path)', but \(other)", line: take.line)
        }
        for output in take.outputs where output.destination.isStream {
            isMistaken = true
            mistakes.add(
                "it records to \(output.destination), which is a pipe or a device, not a file", line: take.line)
        }
        if take.check != nil, take.checkedPaths.isEmpty {
            isMistaken = true
            mistakes.add("raw samples cannot be checked. Leave out 'check', or add another file", line: take.line)
        }
        guard !isMistaken else { return }
        do throws(ACCAudioRecorderError) {
            try take.configuration.validate(outputs: take.outputs(replacing: isContinued ? take.existingFiles : []))
        } catch {
            guard !obstacles.note(error, of: take.paths.first ?? "", line: take.line) else { return }
            mistakes.add(ErrorText.line(error), line: take.line)
        }
    }
}

extension BatchPlan.Row {
    /// The row with its takes numbered within the batch.
    fileprivate func numbered(from first: Int) -> BatchPlan.Row {
        let takes = takes.enumerated().map { index, take in
            var take = take
            take.number = first + index
            return take
        }
        return BatchPlan.Row(takes: takes, start: start, pause: pause)
    }
}

extension BatchPlan {
    /// The takes of one row of a manifest, recorded one after the other.
    struct Row: Sendable {
        let takes: [BatchTake]
        /// The earliest time at which the first of them begins.
        let start: WallTime?
        /// The pause between two takes, in seconds.
        let pause: Double
    }
}

/// One take of a batch.
struct BatchTake: Sendable {
    /// Its number in the batch, counted from 1.
    var number: Int {
        get { Int(numbers.own) }
        set { numbers.own = Int32(newValue) }
    }
    /// The manifest line where its row begins.
    var line: Int { Int(numbers.line) }
    /// The number of the repetition within its row, counted from 1.
    var repetition: Int { Int(numbers.repetition) }
    private var numbers: (own: Int32, line: Int32, repetition: Int32)
    let settings: Settings
    /// Most takes have one file, and an array of one takes more memory than all else.
    private let firstFile: File?
    private let otherFiles: [File]
    /// In seconds: the exact length, or the maximum if a key ends the take; nil if unlimited.
    let duration: Double?
    /// Whether a key press ends it.
    let endsByKey: Bool
    private let sharedCheck: Check?
    /// The text shown to the person who is recorded.
    let prompt: String?

    // There may be 100,000 takes, so what they have in common is in memory once.

    /// The settings of takes that differ in their files and in how long they are.
    final class Settings: Sendable {
        let configuration: ACCAudioRecorder.Configuration
        /// The outputs, but for their paths and tags.
        let outputs: [RecordingOutput]
        /// Whether missing frames or clipped samples make a take fail.
        let isStrict: Bool

        init(_ configuration: ACCAudioRecorder.Configuration, outputs: [RecordingOutput], isStrict: Bool = false) {
            (self.configuration, self.outputs, self.isStrict) = (configuration, outputs, isStrict)
        }
    }

    /// What a row, or the defaults, say of a check.
    final class Check: Sendable {
        /// Whether files are checked at all.
        let isWanted: Bool
        let limits: CheckLimits

        init(_ limits: CheckLimits, isWanted: Bool) { (self.limits, self.isWanted) = (limits, isWanted) }
    }

    /// What one of its outputs does not have in common with those of other takes.
    private struct File {
        let path: String
        let tags: [MetadataTag: String]
        let otherTags: [String: String]
    }

    /// - Parameter outputs: Those of the settings, with the take's own paths and tags.
    init(
        line: Int, repetition: Int, settings: Settings, outputs: [RecordingOutput], duration: Double?, endsByKey: Bool,
        check: Check? = nil, prompt: String?
    ) {
        numbers = (0, Int32(line), Int32(repetition))
        self.settings = settings
        let files = outputs.compactMap { output -> File? in
            guard case .file(let path) = output.destination else { return nil }
            return File(path: path, tags: output.tags, otherTags: output.otherTags)
        }
        (firstFile, otherFiles) = (files.first, Array(files.dropFirst()))
        (self.duration, self.endsByKey, sharedCheck, self.prompt) = (duration, endsByKey, check, prompt)
    }

    private var files: [File] { [firstFile].compactMap(\.self) + otherFiles }

    /// Its outputs: files, with all placeholders filled in.
    var outputs: [RecordingOutput] {
        zip(settings.outputs, files).map { output, file in
            var output = output
            output.destination = .file(path: file.path)
            (output.tags, output.otherTags) = (file.tags, file.otherTags)
            return output
        }
    }

    /// What its files must be like, or it fails; nil if they are not checked.
    var check: CheckLimits? { sharedCheck.flatMap { $0.isWanted ? $0.limits : nil } }

    var configuration: ACCAudioRecorder.Configuration { settings.configuration }
    var isStrict: Bool { settings.isStrict }

    /// The paths of its files.
    var paths: [String] { files.map(\.path) }

    /// The paths of the files that can be checked: raw samples have no header.
    var checkedPaths: [String] {
        zip(settings.outputs, files).filter { $0.0.container != .raw }.map(\.1.path)
    }

    /// Its name in messages.
    var name: String { paths.joined(separator: ", ") }

    /// The files that are there now, which a continued batch may record again.
    var existingFiles: Set<FileVersion> { Set(paths.compactMap { FileVersion(target: $0) }) }

    /// The outputs for an attempt, which may replace these files only, unless `--force` is given.
    func outputs(replacing files: Set<FileVersion>) -> [RecordingOutput] {
        outputs.map { output in
            var output = output
            // A file that does not exist yet is written in place, so that a killed program leaves no hidden temporary
            // file.
            if case .file(let path) = output.destination, !output.replacesExisting,
                FileVersion(target: path).map(files.contains) == true
            {
                (output.replacesExisting, output.replaceable) = (true, files)
            }
            return output
        }
    }
}
