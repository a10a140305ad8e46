#if ACCREC_THREAD_SANITIZER
import Glibc

/// A replacement of the standard library's `Mutex`, with a lock that the thread sanitizer knows.
///
/// The standard library implements its own with atomics in code that is not instrumented, so the sanitizer would report
/// everything that it protects as a race. Only `make sanitize` defines the condition. The other modules have this file by
/// a link.
///
/// `@unchecked Sendable`: the value is used only under the lock.
final class Mutex<Value: ~Copyable>: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// In memory of its own: the sanitizer would take a value without a size for the object's header.
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init(_ value: consuming sending Value) {
        self.value.initialize(to: value)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
#endif
