import Foundation

/// Runs a body in which writing to a closed pipe fails with EPIPE instead of killing the test runner with SIGPIPE.
public func withPipeSignalBlocked<Value>(_ body: () -> Value) -> Value {
    // SIGPIPE is sent to the writing thread. While blocked it stays pending until it is consumed.
    var pipeSignal = sigset_t()
    var formerMask = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &formerMask)
    defer {
        var now = timespec()
        sigtimedwait(&pipeSignal, nil, &now)
        pthread_sigmask(SIG_SETMASK, &formerMask, nil)
    }
    return body()
}
