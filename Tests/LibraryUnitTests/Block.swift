@testable import ACCAudioRecorder

/// Calls `body` with a block of the given interleaved samples.
func withBlock<Value>(_ samples: [Float], channels: Int = 1, _ body: (AudioBlock) throws -> Value) rethrows -> Value {
    try samples.withUnsafeBufferPointer {
        try body(AudioBlock(samples: $0, exactSamples: nil, channelCount: channels))
    }
}

extension AudioBlock {
    /// A copy of the samples.
    var copy: [Float] { Array(samples) }
}
