import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// D-08: what a recording tells, as JSON.
@Suite struct CodableTests {
    @Test("D-08: each event is decoded from its own JSON", arguments: Example.events)
    func isDecoded(event: RecordingEvent) throws {
        let encoded = try JSONEncoder().encode(event)
        #expect(try JSONDecoder().decode(RecordingEvent.self, from: encoded) == event)
    }

    @Test("D-08: the keys of a report, its source, gaps and levels stay what programs rely on")
    func keysOfAReport() throws {
        let encoded = try JSONEncoder().encode(Example.report(.failed(Example.error)))
        let report = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        #expect(
            report.keys.sorted() == [
                "channels", "clipped", "ending", "error", "failure", "figures", "findings", "frames", "frames_lost",
                "gaps", "inputs",
                "levels", "mutes",
                "non_finite", "outputs", "sample_rate", "seconds", "source", "started_at", "stream_gaps", "times",
            ])
        let gap = try #require((report["gaps"] as? [[String: Any]])?.first)
        #expect(gap.keys.sorted() == ["frame", "frames_lost", "is_filled", "offset", "reason", "seconds_lost"])
        let level = try #require((report["levels"] as? [[String: Any]])?.first)
        #expect(level.keys.sorted() == ["clipped", "peak", "rms", "samples"])
        let source = try #require(report["source"] as? [String: Any])
        #expect(
            source.keys.sorted() == [
                "channel_map", "channels", "description", "index", "is_available", "is_default", "is_filter",
                "is_monitor", "is_muted", "kind", "name", "port", "sample_format", "sample_rate", "state", "volume",
            ])
    }

    @Test("Levels are decoded to the precision of decibels")
    func levels() throws {
        let level = ChannelLevel(peak: 0.3, rms: 0.1, clippedCount: 1, sampleCount: 48_000)
        let decoded = try JSONDecoder().decode(ChannelLevel.self, from: JSONEncoder().encode(level))
        #expect(abs(decoded.peakDecibels - level.peakDecibels) < 1e-4)
        #expect(abs(decoded.rmsDecibels - level.rmsDecibels) < 1e-4 && decoded.sampleCount == 48_000)
    }

    @Test(
        "What is unknown is refused",
        arguments: [#"{"event":"level"}"#, #"{"event":"interrupted","reason":"x"}"#, "{}"])
    func unknown(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(RecordingEvent.self, from: Data(json.utf8)) }
    }

    @Test("Numbers that no recording has are refused, or give lengths that can be expressed")
    func impossibleNumbers() throws {
        func decoded<Value: Codable>(_ value: Value, _ key: String, _ number: String) throws -> Value {
            var text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
            text.replace(try Regex("\"\(key)\":[-0-9.]+"), with: "\"\(key)\":\(number)")
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        }
        #expect(try decoded(Example.gap, "offset", "1e300").offset == .seconds(1_000_000_000_000))
        #expect(try decoded(Example.gap, "seconds_lost", "-1e300").length == .seconds(-1_000_000_000_000))
        let most = "\(Int.max)"
        #expect(try decoded(Example.closed, "frames", most).length > .seconds(200_000_000_000_000))
        #expect(try decoded(Example.closed, "sample_rate", "0").length == .zero)
        #expect(try decoded(Example.closed, "sample_rate", most).length == .nanoseconds(0))
        let warning = RecordingWarning.outputBehind(
            "'take.wav'", delay: .seconds(20), limit: .seconds(60), policy: .drop)
        #expect(try decoded(warning, "seconds", "1e300").problem.contains("16666666666 minutes"))
        for key in ["channels", "sample_rate"] {
            #expect(throws: DecodingError.self) { try decoded(Example.source, key, most) }
            #expect(throws: DecodingError.self) { try decoded(Example.source, key, "-1") }
        }
    }

    @Test("Lengths are exact to the nanosecond")
    func lengths() {
        #expect(Example.report(.finished).length == .seconds(2) && Example.closed.length == .seconds(2))
        let third = RecordingReport(
            source: Example.source, sampleRate: 48_000, channelCount: 2, frameCount: 16_000_000_000)
        #expect(third.length.components.seconds == 333_333)
        #expect(third.length.components.attoseconds == 333_333_333_000_000_000)
        #expect(Example.gap.offset == .seconds(1) && Example.gap.length == .milliseconds(10))
    }
}
