import Foundation

/// Runs a body in which writing to a pipe that nobody reads fails with EPIPE, instead of ending the runner by SIGPIPE.
func withPipeSignalBlocked<Value>(_ body: () -> Value) -> Value {
    // SIGPIPE goes to the thread that writes. Blocked there, it stays pending until it is taken back.
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
