import ACCAudioRecorder
import Synchronization
import SystemPackage

/// Tells the service manager how a recording goes: that it has begun, in a line what it does, and, while it records, that it is
/// alive.
final class ServiceHealth: Sendable {
    private struct Content {
        var report = ServiceReport()
        /// The recording that is followed; nil before the first one, between two, and after the last.
        var recorder: ACCAudioRecorder?
        var watchdog: Task<Void, Never>?
        var retry: Task<Void, Never>?
        var hasFailed = false
    }

    private let manager: ServiceManager
    /// Receives messages for the user.
    private let tell: @Sendable (String) -> Void
    private let content = Mutex(Content())

    /// How long to wait where the service manager has no room for a message.
    private static let retryInterval = Duration.seconds(1)

    private init(_ manager: ServiceManager, tell: @escaping @Sendable (String) -> Void) {
        (self.manager, self.tell) = (manager, tell)
    }

    deinit {
        content.withLock { content in
            content.watchdog?.cancel()
            content.retry?.cancel()
        }
    }

    /// Nil if this process is no service.
    static func ofEnvironment(tell: @escaping @Sendable (String) -> Void) -> ServiceHealth? {
        do throws(Errno) {
            guard let manager = try ServiceManager.ofEnvironment() else { return nil }
            let health = ServiceHealth(manager, tell: tell)
            health.watch()
            return health
        } catch {
            tell(unreachable(error))
            return nil
        }
    }

    private static func unreachable(_ failure: Errno) -> String {
        "cannot report to the service manager: NOTIFY_SOCKET: \(failure). The recording goes on."
    }

    /// Follows a recording until the next one, or `rest`.
    ///
    /// - Parameter waitsForApplication: Whether the recording may wait for an application that plays nothing.
    func follow(_ recorder: ACCAudioRecorder, _ model: RecordingModel, waitsForApplication: Bool) {
        content.withLock { content in
            content.recorder = recorder
            content.report.waitsForApplication = waitsForApplication
        }
        model.onChange { [weak self, weak model] in
            guard let model else { return }
            self?.update { $0.receive(model.state) }
        }
        update { $0.receive(model.state) }
    }

    /// Notes that a recording has ended.
    func rest() {
        content.withLock { $0.recorder = nil }
        update { $0.rest() }
    }

    /// Notes that the process ends. Not said earlier: the service manager ends what has said it and then takes long, as
    /// programs of `--exec` may.
    func stop() {
        content.withLock { $0.watchdog?.cancel() }
        update { $0.stop() }
    }

    /// Has the watchdog told at its interval.
    private func watch() {
        guard let interval = manager.watchdogInterval else { return }
        content.withLock { content in
            content.watchdog = Task { [weak self] in
                // The service manager counts the time without a sign; a sleep fails only when it is cancelled.
                while (try? await Task.sleep(for: interval)) != nil {
                    guard let self else { return }
                    let frameCount = await recorder?.currentFrameCount()
                    update { $0.beat(frameCount: frameCount, at: .now) }
                }
            }
        }
    }

    private var recorder: ACCAudioRecorder? { content.withLock { $0.recorder } }

    /// Changes the report and sends what is new in it. Under the lock, so that messages are sent in their order.
    private func update(_ change: (inout ServiceReport) -> Void = { _ in }) {
        let failure = content.withLock { content -> Errno? in
            change(&content.report)
            let lines = content.report.unsentLines
            guard !lines.isEmpty else { return nil }
            do throws(Errno) {
                try manager.send(lines)
                content.report.didSend()
                return nil
            } catch  where [.resourceTemporarilyUnavailable, .noBufferSpace].contains(error) {
                content.retry?.cancel()
                content.retry = Task { [weak self] in
                    // Nobody tells when there is room again; a sleep fails only when it is cancelled.
                    guard (try? await Task.sleep(for: Self.retryInterval)) != nil else { return }
                    self?.update()
                }
                return nil
            } catch {
                content.report.didSend()
                defer { content.hasFailed = true }
                return content.hasFailed ? nil : error
            }
        }
        if let failure { tell(Self.unreachable(failure)) }
    }
}

/// What the service manager is to know of a recording, and what of it has not been sent.
struct ServiceReport {
    /// Whether the recording may wait for an application that plays nothing, and delivers nothing meanwhile.
    var waitsForApplication = false
    /// The assignments that have not been sent, in their order.
    private(set) var unsentLines: [String] = []
    private var isReady = false
    private var status = ""
    private var activity = Activity.idle
    private var frameCount: Int?
    /// When the recording was last seen to grow.
    private var growth: ContinuousClock.Instant?

    private enum Activity {
        /// Nothing is expected to arrive.
        case idle
        /// Frames are expected.
        case recording
        /// The source is away or delivers nothing.
        case interrupted
    }

    /// How long a recording may stay as long as it is before frames count as missing: what `GapDetector` judges waits for up
    /// to four seconds.
    private static let longestHold = Duration.seconds(5)
    /// The largest number of characters of a status, far below the size of a datagram.
    private static let statusLength = 400

    mutating func receive(_ state: RecordingProgress) {
        switch state.phase {
        case .armed where waitsForApplication && !state.source.isEmpty: beReady()
        // A source that is opened again may never have delivered anything.
        case .recording where !state.hasBegun: break
        case .armed, .waiting, .metering, .playing, .playbackPaused: break
        case .scheduled, .ready, .aligning, .recording, .silent, .paused, .finishing: beReady()
        }
        activity =
            switch state.phase {
            case .armed where waitsForApplication: .idle
            case .armed, .waiting, .ready(_, hasSource: false): .interrupted
            case .recording where !state.hasBegun: .interrupted
            case .recording where !waitsForApplication: .recording
            default: .idle
            }
        set(Self.status(of: state))
    }

    /// Notes that there is no recording at the moment.
    mutating func rest() {
        activity = .idle
        set("finishing")
    }

    mutating func stop() {
        unsentLines.append("STOPPING=1")
    }

    /// Adds a sign of life, unless frames should arrive and do not.
    ///
    /// - Parameters:
    ///   - frameCount: The length of the recording; nil without one.
    ///   - time: When that was read.
    mutating func beat(frameCount: Int?, at time: ContinuousClock.Instant) {
        if frameCount != self.frameCount { (self.frameCount, growth) = (frameCount, time) }
        let isGrowing = growth.map { time - $0 < Self.longestHold } ?? false
        guard activity == .idle || activity == .recording && isGrowing else { return }
        if !unsentLines.contains(Self.signOfLife) { unsentLines.append(Self.signOfLife) }
    }

    private static let signOfLife = "WATCHDOG=1"

    /// Notes that the lines have been sent, or never can be.
    mutating func didSend() {
        unsentLines = []
    }

    private mutating func beReady() {
        guard !isReady else { return }
        isReady = true
        unsentLines.append("READY=1")
    }

    private mutating func set(_ text: String) {
        guard text != status else { return }
        status = text
        unsentLines.removeAll { $0.hasPrefix(Self.statusKey) }
        unsentLines.append(Self.statusKey + text)
    }

    private static let statusKey = "STATUS="

    /// A line for people: `recording 'take.wav', 1 gap`, `waiting: source suspended since 12:00:09`.
    private static func status(of state: RecordingProgress) -> String {
        let (word, waitsFor) = state.statement()
        var text = word
        if let waitsFor {
            text += ": \(waitsFor)"
        } else if state.hasBegun, let file = state.file {
            text += " '\(file.path)'"
        }
        if state.gapCount > 0 { text += ", \(state.gapCount) gap\(state.gapCount == 1 ? "" : "s")" }
        return String(PrintableText.line(text).prefix(statusLength))
    }
}
