import Testing

@testable import ACCAudioRecorder

/// A thread that waits for a value with a limit.
struct PromiseTests {
    @Test("Gives up waiting when the limit has passed, and still gets a value that is set later")
    func limit() {
        let promise = Promise<Int>()
        #expect(promise.wait(for: .milliseconds(5)) == nil)
        #expect(promise.fulfil(1))
        #expect(promise.wait(for: .zero) == 1)
        #expect(!promise.fulfil(2))
        #expect(promise.wait(for: .seconds(60)) == 1)
    }

    @Test("Is woken when the value is set", .timeLimit(.minutes(1)))
    func waking() async {
        let (promise, began) = (Promise<Int>(), Promise<Void>())
        async let value = Task.detached {
            began.fulfil(())
            return promise.wait(for: .seconds(90))
        }.value
        await began.value
        promise.fulfil(1)
        #expect(await value == 1)
    }
}
