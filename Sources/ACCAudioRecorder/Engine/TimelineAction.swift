import Synchronization

/// An action at a given time of a recording, in all its branches.
struct TimelineAction {
    enum Kind {
        /// Set a marker.
        case marker(RecordingMarker)
        /// Mark where frames are missing.
        case gap(RecordingGap)
        /// Name what changed samples.
        case processing(ProcessingStep)
        /// Continue in new files, whose first frame was captured at this time, in CLOCK_MONOTONIC nanoseconds.
        /// `serverProcessing` holds the server's processing steps for the files before it.
        case newFile(hostTime: UInt64, serverProcessing: [ProcessingStep])
    }

    let kind: Kind
    /// The time in the recording, in seconds.
    let seconds: Double

    /// Whether it changes nothing but what is said of a file.
    var isMarker: Bool {
        switch kind {
        case .marker, .gap, .processing: true
        case .newFile: false
        }
    }
}

/// A user's request for an action at the frame captured at a given time.
struct ActionRequest: Sendable {
    enum Kind: Sendable {
        /// Set a marker; without a label, its number is used.
        case marker(label: String?)
        /// Continue in new files.
        case newFiles
    }

    let kind: Kind
    /// The time in CLOCK_MONOTONIC nanoseconds.
    let hostTime: UInt64

    var isMarker: Bool {
        if case .marker = kind { true } else { false }
    }
}

/// The requests that are not assigned to a frame yet. Any thread may call.
final class ActionRequests: Sendable {
    private let waiting = Mutex<[ActionRequest]>([])
    /// Lets the engine skip the lock if there are no requests.
    private let count = Atomic<Int>(0)

    func add(_ request: ActionRequest) {
        waiting.withLock { waiting in
            waiting.append(request)
            count.store(waiting.count, ordering: .relaxed)
        }
    }

    /// Removes and returns the requests made before this time, in CLOCK_MONOTONIC nanoseconds, in order.
    ///
    /// - Parameter isWanted: Selects the requests.
    func remove(before hostTime: UInt64, where isWanted: (ActionRequest) -> Bool = { _ in true }) -> [ActionRequest] {
        guard count.load(ordering: .relaxed) > 0 else { return [] }
        return waiting.withLock { waiting in
            let isDue = { (request: ActionRequest) in request.hostTime < hostTime && isWanted(request) }
            let due = waiting.filter(isDue)
            waiting.removeAll(where: isDue)
            count.store(waiting.count, ordering: .relaxed)
            return due
        }
    }
}
