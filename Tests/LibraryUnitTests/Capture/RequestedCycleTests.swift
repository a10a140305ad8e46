import Testing

@testable import ACCAudioRecorder

/// The cycle of PipeWire's graph that a playing program asks for.
@Suite struct RequestedCycleTests {
    @Test(
        "It is the greatest power of two of frames that is not longer than the latency",
        arguments: [
            ("256/48000", 256), ("600/48000", 512), ("1440/48000", 1_024), ("3840/48000", 2_048), ("1/48000", 1),
        ])
    func powersOfTwo(latency: String, frames: Int) {
        #expect(ApplicationStream.cycle(ofLatency: latency) == Double(frames) / 48_000)
    }

    @Test(
        "What is no fraction is no cycle",
        arguments: ["", "/", "1024", "1024/", "/48000", "0/48000", "1024/0", "-1024/48000", "1024/-1", "a/b", "1/2/3"])
    func nonsense(latency: String) {
        #expect(ApplicationStream.cycle(ofLatency: latency) == nil)
    }
}
