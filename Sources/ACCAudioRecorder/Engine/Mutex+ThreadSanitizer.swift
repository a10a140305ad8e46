#if ACCREC_THREAD_SANITIZER
import Glibc

/// The standard library's `Mutex`, made of a lock that the thread sanitiser knows.
///
/// The standard library's own is made of atomics in code that is not instrumented, so everything that it
/// protects would be reported as a race. Only `make sanitize` defines the condition.
///
/// `@unchecked Sendable`: the value is touched under the lock only.
final class Mutex<Value>: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
#endif
