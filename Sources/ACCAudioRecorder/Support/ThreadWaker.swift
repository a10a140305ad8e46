import CSemaphore
import Glibc

/// Wakes a waiting thread. The wait has a deadline that does not depend on the system time.
///
/// Any thread may wake it at any time; a wake-up before the wait is not lost.
///
/// `@unchecked Sendable`, because POSIX lets any thread call `sem_post` and `sem_clockwait` at any time, the pointer never
/// changes, and the semaphore is destroyed with its only owner, after which nobody can call.
struct ThreadWaker: ~Copyable, @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func wake() {
        sem_post(semaphore)
    }

    /// Waits to be woken; false if the deadline passes first.
    ///
    /// - Parameter deadline: In CLOCK_MONOTONIC nanoseconds.
    func wait(until deadline: UInt64) -> Bool {
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        while sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
