import Foundation
import TestSupport

/// Compares the counter of the sink `room` with the clock. A late server sometimes skips a cycle, after which the
/// counter lags behind although no number is missing.
struct CounterClock {
    /// Counts the frames of the monitor.
    let samples: SampleClock
    private let start = ContinuousClock.now

    /// The number of frames in a window. The one that was read with the least delay determines the time.
    private static let window = 12_000

    /// Runs a body while reading the sink's monitor.
    static func with<Value>(_ server: PrivateServer, _ body: (CounterClock) async throws -> Value) async throws -> Value
    {
        try await SampleClock.with(of: "room.monitor", latency: 10, on: server) { samples in
            try await body(CounterClock(samples: samples))
        }
    }

    /// By how many frames the counter is ahead of the clock at a number, up to a constant. A range, because the number
    /// may be from before or after a skipped cycle.
    func lead(at number: UInt32) async throws -> ClosedRange<Int> {
        let window = Int(number) / Self.window
        let windows = window - 1...window + 1
        try await eventually("the number \(number) from the monitor", within: 20) {
            (last(in: samples.parec.standardOutput[...]) ?? 0) >= (windows.upperBound + 1) * Self.window
        }
        let output = samples.parec.standardOutput
        var leads: [Int: Int] = [:]
        for arrival in samples.parec.standardOutputArrivals {
            guard let number = last(in: output.prefix(arrival.byteCount)), windows ~= number / Self.window else {
                continue
            }
            let lead = number - Int(((arrival.time - start) / .seconds(1) * 48_000).rounded())
            leads[number / Self.window] = max(leads[number / Self.window] ?? .min, lead)
        }
        return (leads.values.min() ?? 0)...(leads.values.max() ?? 0)
    }

    /// The last complete number.
    private func last(in output: Data) -> Int? {
        let bytes = output.prefix(output.count / 4 * 4).suffix(4)
        return bytes.count < 4 ? nil : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
