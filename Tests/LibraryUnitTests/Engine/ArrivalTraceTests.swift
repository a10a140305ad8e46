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
        let (losses, sum, frameCount) = trace.found()
        #expect(sum == 0)
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

    @Test(
        "What a server without a processor delivers late is not missing, and what it loses is",
        arguments: ["pulseaudio", "pipewire"])
    func accountsForWhatIsLate(server: String) throws {
        let trace = try ArrivalTrace("starved-\(server)")
        let (losses, sum, _) = trace.found()
        let found = losses.reduce(0) { $0 + $1.frames } + sum
        let lost = trace.growthOfLag
        #expect((lost > 48_000) == (server == "pipewire"))
        #expect(abs(found - lost) <= Tolerance.account(ofLoss: lost), "\(found) of \(lost): \(losses), and \(sum)")
    }
}

extension ArrivalTrace {
    /// By how many frames the arrivals of the last five seconds lag behind those of the first five.
    fileprivate var growthOfLag: Int {
        var end = 0
        let lags = stamps.map { stamp in
            end += stamp.byteCount / 4
            return (end, Int(Double(stamp.arrivalTime) * 1e-9 * Double(rate)) - end)
        }
        let first = lags.filter { $0.0 < 5 * rate }.map(\.1).min() ?? 0
        let last = lags.filter { $0.0 > end - 5 * rate }.map(\.1).min() ?? 0
        return last - first
    }

    /// The losses that an intake detects, how many frames are missing beside them, and how many are recorded.
    func found() -> (losses: [Loss], sum: Int, frameCount: Int) {
        var intake = Intake(.made("source", rate: UInt32(rate)), fragmentFrames: fragmentFrames)
        var losses: [Loss] = []
        var (sum, frameCount) = (0, 0)
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
                case .missing(let shortfall): sum += Int(shortfall.seconds * Double(rate))
                case .record(let frames, _): frameCount += frames.count
                case .flow(let flow): #expect(flow == .flowing)
                case .partMissing: Issue.record("a source has one stream")
                }
            }
        }
        return (losses, sum, frameCount)
    }
}
