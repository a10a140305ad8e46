import Testing

@testable import ACCAudioRecorder

@Suite struct ThreadWakerTests {
    @Test func wakeUpBeforeTheWaitIsKeptAndCountsOnce() {
        let waker = ThreadWaker()
        waker.wake()
        let past = MonotonicClock.now() - 1
        let (first, second) = (waker.wait(until: past), waker.wait(until: past))
        #expect(first && !second)
    }
}
