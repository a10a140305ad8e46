import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Arrivals recorded from a server, with the losses visible in the samples; the heads of the files describe how.
struct ArrivalTrace {
    struct Loss {
        /// The number of frames before the loss.
        var frame: Int
        var frames: Int
    }

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
}
