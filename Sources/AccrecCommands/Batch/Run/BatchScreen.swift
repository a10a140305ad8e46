import Synchronization

/// The terminal during a batch without prompts: messages, and below them the meter of the take that is being recorded,
/// or of the first of several. What is typed is discarded.
final class BatchScreen: JobControl.Screen {
    private struct State {
        /// The takes that are recorded or waited for, in the order in which they began.
        var views: [RecordingView] = []
        /// Whether the terminal is ours.
        var isPresent = false
    }

    private let state = Mutex(State())

    func show(hasKeys: Bool) {
        state.withLock { state in
            state.isPresent = true
            state.views.first?.show()
        }
    }

    func hide() {
        state.withLock { state in
            state.isPresent = false
            state.views.first?.hide()
        }
    }

    /// Adds a take that begins or is waited for.
    func add(_ view: RecordingView) {
        state.withLock { state in
            state.views.append(view)
            if state.isPresent, state.views.count == 1 { view.show() }
        }
    }

    /// Removes a take.
    func remove(_ view: RecordingView) {
        state.withLock { state in
            view.hide()
            state.views.removeAll { $0 === view }
            if state.isPresent { state.views.first?.show() }
        }
    }

    /// Writes lines above the meter.
    func write(lines: [String]) {
        state.withLock { state in
            if let view = state.views.first { view.write(lines: lines) } else { StandardError.write(lines: lines) }
        }
    }

    func redraw() {
        state.withLock { $0.views.first?.redraw() }
    }
}
