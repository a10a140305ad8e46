/// Waits for an operation that cannot be interrupted, such as a question to a server, until the task is cancelled. The operation
/// then goes on by itself, and its result is dropped.
///
/// - Parameters:
///   - error: Thrown when the task is cancelled.
///   - giveUp: Called when the task is cancelled; false if the operation has got too far, and its result counts all the same.
///   - operation: Runs in a task of its own.
func waitUnlessCancelled<Value: Sendable, Failure: Error>(
    elseThrowing error: Failure, givingUp giveUp: @escaping @Sendable () async -> Bool = { true },
    for operation: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = Promise<Result<Value, Failure>>()
    Task {
        do throws(Failure) {
            result.fulfil(.success(try await operation()))
        } catch {
            result.fulfil(.failure(error))
        }
    }
    let ended = await withTaskCancellationHandler {
        await result.value
    } onCancel: {
        Task { if await giveUp() { result.fulfil(.failure(error)) } }
    }
    return try ended.get()
}
