import CPulse
import Dispatch
import Glibc
import Synchronization

/// The main loop of a control connection, on a thread of its own.
///
/// Like libpulse's threaded main loop, but for one thing: another thread can see, without a lock, whether there is
/// something that the loop has not dealt with (`calmly`).
///
/// `@unchecked Sendable`: the loop, and what belongs to it, is touched only under its lock, which the thread lets go of
/// while it waits. What `calmly` reads is atomic.
final class PulseMainLoop: @unchecked Sendable {
    private let loop: OpaquePointer
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let hasEnded = DispatchSemaphore(value: 0)
    private var isRunning = false
    /// Odd while the thread waits, and another number each time.
    private let waitCount = Atomic<Int>(0)
    /// What it waits for; more descriptors than fit where `descriptorCount` says so.
    private let descriptors: UnsafeMutableBufferPointer<Atomic<Int32>>
    private let descriptorCount = Atomic<Int>(0)

    /// The connection, its shared memory and the loop's own make three.
    private static let mostDescriptors = 8

    init() throws(PulseFailure) {
        guard let loop = pa_mainloop_new() else { throw PulseFailure(PA_ERR_INTERNAL) }
        self.loop = loop
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        descriptors = .allocate(capacity: Self.mostDescriptors)
        for index in descriptors.indices { descriptors.initializeElement(at: index, to: Atomic(-1)) }
        pa_mainloop_set_poll_func(
            loop, { Unmanaged<PulseMainLoop>.fromOpaque($3!).takeUnretainedValue().wait(for: $0, $1, timeout: $2) },
            Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        pa_mainloop_free(loop)
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        descriptors.deinitialize()
        descriptors.deallocate()
    }

    /// What libpulse is given to be called by this loop.
    var api: UnsafeMutablePointer<pa_mainloop_api> { pa_mainloop_get_api(loop) }

    /// Starts the thread.
    func start() throws(PulseFailure) {
        do throws(ACCAudioRecorderError) {
            try DetachedThread.start("control") { [self] in
                locked { _ = pa_mainloop_run(loop, nil) }
                hasEnded.signal()
            }
        } catch {
            throw PulseFailure(PA_ERR_INTERNAL)
        }
        isRunning = true
    }

    /// Ends the thread and waits for its end. Not from that thread.
    func stop() {
        guard isRunning else { return }
        locked { pa_mainloop_quit(loop, 0) }
        hasEnded.wait()
        isRunning = false
    }

    /// Calls `body` while the thread waits. Not from that thread, which holds the lock when it calls back.
    func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Calls `body` where everything that the server had told before the call has been heard; nil where something may not
    /// have been. Any thread; takes no lock.
    func calmly<Result>(_ body: () -> Result) -> Result? {
        let wait = waitCount.load(ordering: .acquiring)
        let count = descriptorCount.load(ordering: .relaxed)
        guard !wait.isMultiple(of: 2), count <= Self.mostDescriptors else { return nil }
        let result = body()
        let isCalm = withUnsafeTemporaryAllocation(of: pollfd.self, capacity: Self.mostDescriptors) { waiting in
            for index in 0..<count {
                let descriptor = descriptors[index].load(ordering: .relaxed)
                waiting[index] = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            }
            return poll(waiting.baseAddress, nfds_t(count), 0) == 0
        }
        // Acquiring and releasing: what is above comes before.
        return isCalm && waitCount.add(0, ordering: .acquiringAndReleasing).newValue == wait ? result : nil
    }

    private func wait(for entries: UnsafeMutablePointer<pollfd>?, _ count: nfds_t, timeout: Int32) -> Int32 {
        for index in 0..<min(Int(count), Self.mostDescriptors) {
            descriptors[index].store(entries![index].fd, ordering: .relaxed)
        }
        descriptorCount.store(Int(count), ordering: .relaxed)
        waitCount.add(1, ordering: .releasing)
        pthread_mutex_unlock(mutex)
        let ready = poll(entries, count, timeout)
        let error = errno
        waitCount.add(1, ordering: .acquiringAndReleasing)
        pthread_mutex_lock(mutex)
        errno = error
        return ready
    }
}
