import ACCAudioRecorder
import ArgumentParser
import Glibc
import Synchronization

/// `accrec check`: says whether recordings are good, and what is wrong where.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether recordings are good, and what is wrong where.",
        discussion: """
            Measures loudness, true peak, levels, noise and bandwidth, and finds clipping, dropouts, repeated buffers, jumps, \
            silence, channels that are dead, alike, one-sided or of opposite polarity, a DC offset, hum, the narrow band of a \
            headset, gaps, and damage. Reads any format that libsndfile knows, from any recorder, and changes nothing. The \
            exit status is 13 if something is wrong.
            """)

    @Argument(help: "The files to check.", completion: .file())
    var files: [String]

    @Flag(help: "Print a JSON object for each file, on a line.")
    var json = false

    @Flag(
        name: .shortAndLong,
        help: "Print only files with findings: no progress, and not which page and picture were written.")
    var quiet = false

    @OptionGroup(title: "Limits") var limits: CheckLimits

    @OptionGroup(title: "Page and picture") var pages: PageOptions

    func validate() throws {
        guard pages.picture != nil, files.count > 1 else { return }
        throw ValidationError("--picture is for a single file. Use --html for \(files.count) files.")
    }

    func run() async throws {
        let pageFiles = try PageFiles(pages)
        var takes: [PageTake] = []
        let shows = !quiet && StandardError.canShowMeter
        let progress = CheckProgress(of: files, isEnabled: shows)
        var outcome = Outcome()
        try await withThrowingTaskGroup(of: (Int, Checked).self) { group in
            // In the order of the command line, each as soon as those before it are printed.
            var results: [Int: Checked] = [:]
            var (started, printed) = (0, 0)
            func startNext() {
                guard started < files.count else { return }
                let (index, path) = (started, files[started])
                group.addTask { (index, check(path, number: index, progress)) }
                started += 1
            }
            for _ in 0..<Self.processorCount { startNext() }
            while let (index, result) = try await group.next() {
                startNext()
                results[index] = result
                while let next = results.removeValue(forKey: printed) {
                    progress.hide()
                    try show(next.result, isFirst: outcome.isEmpty)
                    outcome.note(next.result)
                    if let take = next.take { takes.append(take) }
                    printed += 1
                }
            }
        }
        progress.hide()
        if files.count > 1, !json { StandardError.tell(outcome.summary) }
        try pageFiles.write(takes, ofFilesAt: files, isQuiet: quiet)
        guard outcome.status == .success else { throw ExitCode(outcome.status.rawValue) }
    }

    /// Checks a file, on the thread that calls.
    private func check(_ path: String, number: Int, _ progress: CheckProgress) -> Checked {
        defer { progress.finish(file: number) }
        let detail = pages.detail(takeCount: files.count)
        do throws(RunFailure) {
            let (check, curves) = try FileCheck.read(path: path, limits: limits, curves: detail) {
                progress.set($0, ofFile: number)
            }
            let take = detail.map { PageTake(check, curves: curves, mostPlaces: $0.places) }
            return Checked(result: .success(check), take: take)
        } catch {
            return Checked(result: .failure(error), take: detail.map { _ in PageTake(unreadable: path, error) })
        }
    }

    private func show(_ result: Result<FileCheck, RunFailure>, isFirst: Bool) throws {
        switch result {
        case .failure(let failure): StandardError.tell("\(failure)")
        case .success(let check) where quiet && check.isGood: return
        case .success(let check) where json: try StandardOutput.write(json: check)
        case .success(let check): try StandardOutput.write(lines: (isFirst ? [] : [""]) + check.lines)
        }
    }

    private static var processorCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }
}

extension CheckCommand {
    /// What was found of a file, and how the page shows it, if there is one.
    private struct Checked: Sendable {
        let result: Result<FileCheck, RunFailure>
        let take: PageTake?
    }

    /// How many files were good.
    private struct Outcome {
        private var goodCount = 0
        private var badCount = 0
        private var failedCount = 0

        var isEmpty: Bool { goodCount + badCount + failedCount == 0 }

        mutating func note(_ result: Result<FileCheck, RunFailure>) {
            switch result {
            case .failure: failedCount += 1
            case .success(let check):
                if check.isGood { goodCount += 1 } else { badCount += 1 }
            }
        }

        var summary: String {
            var text = "\(goodCount) of \(goodCount + badCount + failedCount) files are good"
            if failedCount > 0 { text += ", \(failedCount) cannot be checked" }
            return text
        }

        /// A file that cannot be read counts more than one with findings.
        var status: ExitStatus { failedCount > 0 ? .failure : badCount > 0 ? .notGood : .success }
    }
}

/// The bar that shows how far the check of files is, on a terminal only. Any thread may call it.
final class CheckProgress: Sendable {
    private struct State {
        var parts: [Double]
        var finishedCount = 0
        var shownAt: UInt64 = 0
        var isShown = false
    }

    /// In nanoseconds.
    private static let interval: UInt64 = 100_000_000
    private static let erasing = "\r\u{1B}[K"

    private let sizes: [Double]
    private let isEnabled: Bool
    private let state: Mutex<State>

    /// - Parameter paths: The files, which count by their size.
    init(of paths: [String], isEnabled: Bool) {
        self.isEnabled = isEnabled
        sizes = paths.map { path in
            var status = stat()
            return stat(path, &status) == 0 ? Double(max(status.st_size, 1)) : 1
        }
        state = Mutex(State(parts: Array(repeating: 0, count: paths.count)))
    }

    /// Notes which part of a file is read, from 0 to 1.
    func set(_ part: Double, ofFile index: Int) {
        guard isEnabled else { return }
        state.withLock { state in
            state.parts[index] = part
            let now = Self.now()
            guard now - state.shownAt >= Self.interval else { return }
            (state.shownAt, state.isShown) = (now, true)
            StandardError.write(drawn: Array(text(state).utf8))
        }
    }

    /// Notes that a file is finished.
    func finish(file index: Int) {
        guard isEnabled else { return }
        state.withLock { state in
            state.parts[index] = 1
            state.finishedCount += 1
        }
    }

    /// Erases the bar, so that something else can be written.
    func hide() {
        guard isEnabled else { return }
        state.withLock { state in
            guard state.isShown else { return }
            state.isShown = false
            StandardError.write(drawn: Array(Self.erasing.utf8))
            StandardError.settle()
        }
    }

    private func text(_ state: State) -> String {
        let done = zip(state.parts, sizes).reduce(0) { $0 + $1.0 * $1.1 } / max(sizes.reduce(0, +), 1)
        let label = " \(Int(done * 100)) %, \(state.finishedCount) of \(sizes.count) files"
        let width = max(min(StandardError.window.columns - label.utf8.count - 3, 50), 0)
        let filled = Int(done * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return Self.erasing + "[\(bar)]" + label
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
