import ACCAudioRecorder
import Glibc
import Synchronization

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
