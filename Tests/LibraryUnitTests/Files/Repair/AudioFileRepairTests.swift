import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Files created by SoX, truncated or damaged.
@Suite(.timeLimit(.minutes(2)), .tags(.skipsThreadSanitizer))
struct AudioFileRepairTests {
    private static let frames = 30_000

    /// Runs a body with a file of noise in a directory; its extension determines the format.
    private func withFile(_ name: String, frames: Int = frames, _ body: (URL, Data) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: name)
            let result = try await ChildProcess.run([
                "sox", "-R", "-n", "-r", "48000", "-c", "2", "-b", "16", file.path, "synth", "\(frames)s",
                "pinknoise",
            ])
            try #require(result.end == .exit(0), "\(result.standardError)")
            try await body(file, try Data(contentsOf: file))
        }
    }

    @Test("A file truncated anywhere keeps its complete frames", arguments: ["wav", "w64", "aiff", "caf", "flac"])
    func cutFiles(kind: String) async throws {
        try await withFile("take." + kind) { file, whole in
            #expect(try AudioFileRepair(path: file.path).isWhole)
            let samples = try await Self.samples(of: file)
            try #require(samples.count == 2 * Self.frames)
            for byteCount in [whole.count / 2, whole.count / 2 + 1, whole.count - 3, whole.count - 1] {
                try whole.prefix(byteCount).write(to: file)
                let repair = try AudioFileRepair(path: file.path)
                let repaired = URL(filePath: repair.suggestedPath)
                #expect(repaired.lastPathComponent == "take-repaired." + kind)
                try repair.write(to: repaired.path, replacesExisting: true)
                let left = try await Self.samples(of: repaired)
                #expect(left.count == 2 * (try #require(repair.frameCount)))
                #expect(left.elementsEqual(samples.prefix(left.count)))
                // FLAC loses at most a block of 4096 frames, all others no complete frame.
                let most = kind == "flac" ? 4_096 * 4 : 4
                #expect(byteCount > whole.count - 100 ? left.count >= samples.count - most : left.count < samples.count)
                #expect(try AudioFileRepair(path: repaired.path).isWhole)
            }
        }
    }

    @Test(
        "A recording of any length is whole, in each container that can be repaired",
        arguments: [Container.wav, .rf64, .w64, .aiff, .caf, .flac], [1, 2, 3, 4, 5, 6, 7, 1_001])
    func wholeFiles(container: Container, frames: Int) async throws {
        for encoding in container.encodings {
            try await TemporaryDirectory.with { directory in
                let file = directory.appending(path: "take")
                var output = RecordingOutput(.file(path: file.path), container: container)
                output.format.encoding = .given(encoding)
                let writer = try OutputWriter(
                    output, for: .made("noise"),
                    form: StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 1)),
                    broadcast: RecordingBroadcast())
                writer.begin(hostTime: MonotonicClock.now())
                withBlock([Float](repeating: 0.25, count: frames)) { writer.write($0) }
                _ = await writer.finish(serverProcessing: [], isWhole: true).value
                let repair = try AudioFileRepair(path: file.path)
                #expect(repair.isWhole && repair.frameCount == frames, "\(encoding): \(repair.faults)")
            }
        }
    }

    @Test("A repaired file gets its name once it is complete and on the disk", arguments: [false, true])
    func appearsWhenComplete(replacesExisting: Bool) async throws {
        try await withFile("take.wav") { file, whole in
            try whole.prefix(whole.count / 2).write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            SystemCalls.beginRecording()
            try repair.write(to: repair.suggestedPath, replacesExisting: replacesExisting)
            #expect(SystemCalls.endRecording() == [.syncFile, .name, .syncDirectory])
        }
    }

    @Test("A repair in place that does not reach the disk has failed")
    func unsyncedRepair() async throws {
        try await withFile("take.wav") { file, whole in
            try whole.dropLast(2).write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            SystemCalls.fileFailure.store(EIO, ordering: .relaxed)
            defer { SystemCalls.fileFailure.store(0, ordering: .relaxed) }
            let failure = #expect(throws: ACCAudioRecorderError.self) { try repair.repairInPlace() }
            #expect(
                failure?.description.contains("in place: Input/output error") == true, "\(String(describing: failure))")
        }
    }

    @Test("FLAC that was written to a pipe gets its length; the checksum of its samples remains unknown")
    func flacWithoutATotal() async throws {
        try await withFile("take.flac") { file, whole in
            var piped = whole
            // The number of frames has 36 bits.
            piped[8 + 13] &= 0xF0
            piped.replaceSubrange(8 + 14..<8 + 34, with: Data(count: 20))
            try piped.write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            #expect(repair.faults == [.wrongLength] && repair.frameCount == Self.frames)
            try repair.repairInPlace()
            #expect(try Data(contentsOf: file).prefix(8 + 18) == whole.prefix(8 + 18))
            #expect(try await PCMFile(flac: file).frames == Self.frames)
        }
    }

    @Test("Truncated Ogg ends with its last complete page, which is marked as the last")
    func cutOgg() async throws {
        try await withFile("take.ogg", frames: 10 * Self.frames) { file, whole in
            #expect(try AudioFileRepair(path: file.path).isWhole)
            try whole.prefix(whole.count * 2 / 3).write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            #expect(repair.faults.count == 2 && repair.faults.last == .noEnd)
            try repair.repairInPlace()
            #expect(try AudioFileRepair(path: file.path).isWhole)
            let result = try await ChildProcess.run(["sox", file.path, "-n", "stat"])
            #expect(result.end == .exit(0) && !result.standardError.contains("WARN"), "\(result.standardError)")
        }
    }

    @Test("Damage in the middle is reported, and nothing is cut off because of it", arguments: ["flac", "ogg"])
    func damagedInTheMidst(kind: String) async throws {
        try await withFile("take." + kind, frames: 10 * Self.frames) { file, whole in
            var damaged = whole
            damaged[whole.count / 2] ^= 1
            try damaged.write(to: file)
            let error = #expect(throws: ACCAudioRecorderError.self) { try AudioFileRepair(path: file.path) }
            #expect(error?.failure?.reason == .damaged)
            #expect(
                error?.failure?.cause.contains("is damaged, with more") == true, "\(String(describing: error))")
        }
    }

    @Test("An existing file is never overwritten unless requested, and a file being written is left alone")
    func nothingIsOverwritten() async throws {
        try await withFile("take.wav") { file, whole in
            try whole.dropLast(2).write(to: file)
            let repair = try AudioFileRepair(path: file.path)
            try Data("old".utf8).write(to: URL(filePath: repair.suggestedPath))
            let refused = #expect(throws: ACCAudioRecorderError.self) { try repair.write(to: repair.suggestedPath) }
            #expect(refused?.failure?.reason == .fileExists)
            #expect(try Data(contentsOf: URL(filePath: repair.suggestedPath)) == Data("old".utf8))
            try whole.write(to: file)
            for action in [{ try repair.repairInPlace() }, { try repair.write(to: file.path + ".wav") }] {
                let error = #expect(throws: ACCAudioRecorderError.self) { try action() }
                #expect(error?.failure?.cause == "a program is writing it")
            }
            #expect(try Data(contentsOf: file) == whole)
            // A paused recording does not change its file.
            let paused = try AtomicFile(path: file.path + ".paused", replacesExisting: false)
            try paused.descriptor.writeAll(whole.dropLast(2))
            let repairOfPaused = try AudioFileRepair(path: paused.path)
            let error = #expect(throws: ACCAudioRecorderError.self) { try repairOfPaused.repairInPlace() }
            #expect(error?.failure?.cause == "a program is writing it")
            #expect(try Data(contentsOf: URL(filePath: paused.leave())) == whole.dropLast(2))
        }
    }

    // The sanitisers take half a minute for what is here to be fast.
    @Test(
        "A file in which a frame or page seems to begin everywhere is examined in linear time",
        .tags(.skipsThreadSanitizer, .skipsAddressSanitizer), arguments: ["flac", "ogg"])
    func misleadingFiles(kind: String) async throws {
        let isOgg = kind == "ogg"
        let start =
            isOgg ? (0..<3).flatMap { MadeOgg.page($0) } : MadeFLAC.start(frameCount: 0) + MadeFLAC.header(0)
        let pattern: [UInt8] = isOgg ? Array("OggS".utf8) + [0] : [0xFF]
        let repetitions = [[UInt8]](repeating: pattern, count: (1 << 20) / pattern.count)
        let bytes = start + Array(repetitions.joined())
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "file")
            try Data(bytes).write(to: file)
            #expect(throws: ACCAudioRecorderError.self) { try AudioFileRepair(path: file.path) }
        }
    }

    @Test func nameOfAPartialFile() {
        #expect(AtomicFile.path(ofPart: "/a/.take.wav.4711.part") == "/a/take.wav")
        #expect(AtomicFile.path(ofPart: ".take.4711.part") == "take")
        #expect(AtomicFile.path(ofPart: ".take.wav.1-2.part") == "take.wav")
        for other in ["take.wav.4711.part", ".take.wav.part", ".4711.part", "/.a/take.1.part", "", "/"] {
            #expect(AtomicFile.path(ofPart: other) == nil, "\(other)")
        }
        #expect(
            AtomicFile.path(ofPart: AtomicFile.writingPath(for: "/a/b.flac", replacesExisting: true)) == "/a/b.flac")
    }

    @Test(
        "Any file content is either repaired or rejected with a message, and the original is unchanged",
        arguments: 0..<8 as Range<UInt64>
    )
    func anyFile(seed: UInt64) async throws {
        let kind = ["wav", "w64", "aiff", "caf", "flac", "ogg", "wav", "flac"][Int(seed)]
        try await withFile("take." + kind) { file, whole in
            var generator = SplitMix64(seed: seed)
            let repaired = file.path + ".repaired"
            for round in 0..<60 {
                var bytes = Array(whole)
                switch round % 4 {
                case 0: bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &generator)))
                case 1:
                    bytes = (0..<Int.random(in: 0...3_000, using: &generator)).map { _ in
                        .random(in: 0...255, using: &generator)
                    }
                case 2:
                    bytes.replaceSubrange(
                        bytes.indices.prefix(200).suffix(196),
                        with: bytes[4..<200].map {
                            Int.random(in: 0..<20, using: &generator) == 0
                                ? UInt8.random(in: 0...255, using: &generator) : $0
                        })
                default:
                    let place = Int.random(in: 4..<100, using: &generator)
                    let size: [UInt8] = [[255, 255, 255, 255], [0, 0, 0, 0], [127, 255, 255, 255], [128, 0, 0, 0]]
                        .randomElement(using: &generator)!
                    bytes.replaceSubrange(place..<place + 4, with: size)
                    bytes.removeLast(.random(in: 0...bytes.count / 2, using: &generator))
                }
                try Data(bytes).write(to: file)
                do throws(ACCAudioRecorderError) {
                    let repair = try AudioFileRepair(path: file.path)
                    try repair.write(to: repaired, replacesExisting: true)
                    #expect(try! AudioFileRepair(path: repaired).isWhole, "round \(round)")
                } catch {
                    #expect(error.failure?.reason == .damaged, "round \(round): \(error)")
                }
                #expect(try Data(contentsOf: file) == Data(bytes))
            }
        }
    }

    private static func samples(of file: URL) async throws -> [Int16] {
        switch file.pathExtension {
        case "wav": return try PCMFile(wav: file).int16
        case "flac": return try await PCMFile(flac: file).int16
        default:
            let wav = file.appendingPathExtension("wav")
            let result = try await ChildProcess.run(["sox", file.path, wav.path])
            guard result.end == .exit(0), result.standardError.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
            return try PCMFile(wav: wav).int16
        }
    }
}
