// Saves a recording as a subscriber, for programs that have their own file writer. `RecordToFiles` is simpler: there
// the recorder writes the files.

import ACCAudioRecorder
import ArgumentParser
import Foundation

@main
struct SaveToFile: AsyncParsableCommand {
    @Argument(help: "How long to record.") var seconds = 5.0
    @Argument(help: "The WAV file to write.") var path = "take.wav"

    func run() async throws {
        let configuration = ACCAudioRecorder.Configuration()
        let recorder = ACCAudioRecorder(configuration: configuration)
        await recorder.setTimeLimit(maxDuration: seconds)
        let streams = try await recorder.startRecording()

        let writer = try AudioFileWriter(path: path, configuration)
        for await buffer in streams.buffers {
            try await writer.write(buffer)
        }
        try await writer.close()

        for await case .finished(let report) in streams.events {
            if case .failed(let error) = report.ending { throw error }
            print("\(path): \(report.frameCount) frames")
        }
    }
}

/// Writes the buffers of a recording to a WAV file of 32-bit floating-point samples.
actor AudioFileWriter {
    private let file: FileHandle
    private let configuration: ACCAudioRecorder.Configuration
    private var byteCount = 0

    /// Creates the file; fails if it exists.
    init(path: String, _ configuration: ACCAudioRecorder.Configuration) throws {
        let url = URL(filePath: path)
        try Self.header(of: 0, configuration).write(to: url, options: .withoutOverwriting)
        file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
        self.configuration = configuration
    }

    /// Appends the frames, preceded by silence for frames that this subscriber was too slow to receive.
    func write(_ buffer: AudioBufferData) throws {
        let missed = Data(count: 4 * Int(buffer.missedFrameLength) * Int(buffer.channelCount))
        try file.write(contentsOf: missed)
        try file.write(contentsOf: buffer.data)
        byteCount += missed.count + buffer.data.count
    }

    /// Writes the final sizes to the header.
    func close() throws {
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Self.header(of: byteCount, configuration))
        try file.close()
    }

    private static func header(of byteCount: Int, _ configuration: ACCAudioRecorder.Configuration) -> Data {
        let sampleRate = UInt32(configuration.sampleRate)
        let bytesPerFrame = 4 * configuration.channelCount
        var header = Data()
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
        }
        header += "RIFF".utf8
        append(UInt32(50 + byteCount))
        header += "WAVEfmt ".utf8
        append(UInt32(18))
        append(UInt16(3))  // WAVE_FORMAT_IEEE_FLOAT
        append(UInt16(configuration.channelCount))
        append(sampleRate)
        append(sampleRate * bytesPerFrame)
        append(UInt16(bytesPerFrame))
        append(UInt16(32))
        append(UInt16(0))
        header += "fact".utf8
        append(UInt32(4))
        append(UInt32(byteCount) / bytesPerFrame)
        header += "data".utf8
        append(UInt32(byteCount))
        return header
    }
}
