import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The losses in recorded arrivals.
@Suite struct ArrivalTraceTests {
    @Test(
        "Losses are detected at their positions, and nothing else is",
        arguments: ["undisturbed", "clients", "stopped", "loaded", "lost"], ["pulseaudio", "pipewire"])
    func findsWhatIsMissing(what: String, server: String) throws {
        let trace = try ArrivalTrace("\(what)-\(server)")
        let (losses, frameCount) = trace.found()
        #expect(frameCount == trace.stamps.reduce(0) { $0 + $1.byteCount / 4 })
        // A shorter loss while other clients come and go cannot be distinguished from a server that delivers later.
        let expected = trace.losses.filter { $0.frames > trace.rate * 60 / 1_000 }
        #expect(expected.isEmpty == (what != "lost"))
        #expect(losses.count == expected.count, "\(losses) of \(expected)")
        for (found, loss) in zip(losses, expected) {
            #expect(
                abs(found.frame - loss.frame) <= Tolerance.frames(Tolerance.place, at: trace.rate),
                "\(found) of \(loss)")
            #expect(
                abs(found.frames - loss.frames) <= Tolerance.frames(Tolerance.gap, at: trace.rate),
                "\(found) of \(loss)")
        }
    }
}

extension ArrivalTrace {
    /// The losses that an intake detects, and the number of frames that it records.
    func found() -> (losses: [Loss], frameCount: Int) {
        var intake = Intake(.made("source", rate: UInt32(rate)), fragmentFrames: fragmentFrames)
        var losses: [Loss] = []
        var frameCount = 0
        for index in stamps.indices {
            var decisions: [Intake.Decision]?
            while decisions == nil {
                let upcoming = stamps[index...].prefix(intake.lookahead)
                decisions = intake.decide(.fragment(stamps[index]), upcoming: upcoming)
            }
            for decision in decisions ?? [] {
                switch decision {
                case .gap(let seconds, let cause):
                    #expect(cause == .dropped)
                    losses.append(Loss(frame: frameCount, frames: Int(seconds * Double(rate))))
                case .missing(let shortfall): Issue.record("\(shortfall)")
                case .record(let frames, _): frameCount += frames.count
                case .flow(let flow): #expect(flow == .flowing)
                case .partMissing: Issue.record("a source has one stream")
                }
            }
        }
        return (losses, frameCount)
    }
}
