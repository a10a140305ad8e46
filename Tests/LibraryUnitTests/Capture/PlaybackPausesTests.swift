import Testing

@testable import ACCAudioRecorder

/// What is reported of the pauses of a stream that an application plays.
struct PlaybackPausesTests {
    /// A stream that has delivered.
    private static func delivering() -> PlaybackPauses {
        var pauses = PlaybackPauses(isPaused: false)
        _ = pauses.deliver()
        return pauses
    }

    @Test("A pause is reported once, when nothing of before it arrives any more, and the stream goes on after it")
    func pause() {
        var pauses = Self.delivering()
        #expect(pauses.announce(isPaused: true) == .paused)
        pauses.beginPause(at: 5)
        #expect(pauses.quietToReport() == nil)
        #expect(pauses.settle(since: 4) == false)
        #expect(pauses.settle(since: 5) == true)
        #expect(pauses.quietToReport() == .applicationPaused)
        #expect(pauses.quietToReport() == nil)
        #expect(pauses.announce(isPaused: false) == .resumed)
        #expect(pauses.endPause() == true)
        #expect(pauses.interrupt() == nil)
        pauses.wait()
        #expect(pauses.deliver() == true)
    }

    @Test("A pause that is over before it has settled is reported when its end is announced")
    func shortPause() {
        var pauses = Self.delivering()
        _ = pauses.announce(isPaused: true)
        pauses.beginPause(at: 5)
        #expect(pauses.announce(isPaused: false) == .resumed)
        #expect(pauses.endPause() == true)
        #expect(pauses.interrupt() == .applicationPaused)
        pauses.wait()
        #expect(pauses.settle(since: 5) == false)
        #expect(pauses.state == .waiting)
    }

    @Test("Frames of after a pause whose end is not announced yet are no silence of it, and it does not settle")
    func unannounced() {
        var pauses = Self.delivering()
        _ = pauses.announce(isPaused: true)
        pauses.beginPause(at: 5)
        #expect(pauses.isSilenceOfPause)
        pauses.passPause()
        #expect(!pauses.isSilenceOfPause)
        #expect(pauses.interrupt() == .applicationPaused)
        pauses.wait()
        #expect(pauses.deliver() == true)
        #expect(pauses.settle(since: 5) == false)
        #expect(pauses.announce(isPaused: false) == .resumed)
        #expect(pauses.endPause() == false)
        #expect(pauses.state == .delivering)
    }

    @Test("A pause during a pause that seemed to be over is another one")
    func pausedAgain() {
        var pauses = Self.delivering()
        #expect(pauses.announce(isPaused: true) == .paused)
        pauses.beginPause(at: 5)
        #expect(pauses.announce(isPaused: true) == nil)
        pauses.passPause()
        #expect(pauses.announce(isPaused: true) == .paused)
    }

    @Test("A stream that is paused from the beginning is not waited for")
    func pausedAtFirst() {
        var pauses = PlaybackPauses(isPaused: true)
        #expect(pauses.state == .waiting)
        #expect(pauses.announce(isPaused: true) == .paused)
        #expect(pauses.state == .quiet)
    }

    @Test("A suspended sink is reported, and the stream is waited for afterwards unless its program has paused it")
    func suspended() {
        var pauses = Self.delivering()
        pauses.announce(isSuspended: true)
        #expect(pauses.quietToReport() == .suspended)
        pauses.announce(isSuspended: false)
        #expect(pauses.state == .waiting)
        _ = pauses.announce(isPaused: true)
        pauses.announce(isSuspended: false)
        #expect(pauses.state == .quiet)
    }

    @Test("A stream whose record stream is lost moves, also where it is open again before that is reported")
    func moved() {
        var lost = Self.delivering()
        lost.detach()
        #expect(lost.quietToReport() == .applicationMoved)
        #expect(lost.mayBeEarlier)
        lost.attach()
        #expect(lost.quietToReport() == nil)
        #expect(!lost.mayBeEarlier)
        var reopened = Self.delivering()
        reopened.detach()
        reopened.attach()
        #expect(reopened.quietToReport() == .applicationMoved)
    }
}
