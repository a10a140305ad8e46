import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Arrivals recorded from servers, with the losses visible in the samples; the heads of the files describe how.
@Suite struct ArrivalTraceTests {
    struct Loss {
        /// The number of frames before the loss.
        var frame: Int
        var frames: Int
    }

    private struct Trace {
        var rate = 0
        var fragmentFrames = 0
        var losses: [Loss] = []
        var stamps: [FragmentStamp] = []

        init(_ name: String) throws {
            let text = try String(
                contentsOf: Project.file("Tests/LibraryUnitTests/Engine/Traces/\(name).txt"), encoding: .utf8)
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                let words = line.split(separator: " ")
                let numbers = words.compactMap { Int($0) }
                switch (words.first, numbers.count) {
                case ("rate", 1): rate = numbers[0]
                case ("fragment", 1): fragmentFrames = numbers[0]
                case ("loss", 2): losses.append(Loss(frame: numbers[0], frames: numbers[1]))
                case (_, 5): stamps.append(Self.stamp(numbers))
                default: Issue.record("\(name): \(line)")
                }
            }
            #expect(rate > 0 && fragmentFrames > 0 && stamps.count > 200)
        }

        /// - Parameter numbers: Microseconds since an arbitrary time, frames, changes, and microseconds.
        private static func stamp(_ numbers: [Int]) -> FragmentStamp {
            let start = 10_000_000
            return FragmentStamp(
                byteCount: numbers[2] * 4, hostTime: UInt64(start + numbers[0]) * 1_000,
                arrivalTime: UInt64(start + numbers[1]) * 1_000, changeCount: numbers[3],
                keptLength: Double(numbers[4]) * 1e-6)
        }

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

    @Test(
        "Losses are detected at their positions, and nothing else is",
        arguments: ["undisturbed", "clients", "stopped", "loaded", "lost"], ["pulseaudio", "pipewire"])
    func findsWhatIsMissing(what: String, server: String) throws {
        let trace = try Trace("\(what)-\(server)")
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
