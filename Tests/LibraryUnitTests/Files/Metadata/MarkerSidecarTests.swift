import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Lists of markers belong to one recording each, whatever lies beside its file.
@Suite struct MarkerSidecarTests {
    /// Records a tenth of a second.
    ///
    /// - Parameter isDated: Whether the file states its date.
    private func record(
        _ name: String, in directory: URL, replacing: Bool = false, marker: String?, at time: UInt64,
        isWhole: Bool = true, isDated: Bool = false
    ) async throws {
        var output = try RecordingOutput(path: directory.appending(path: name).path)
        output.replacesExisting = replacing
        let writer = try OutputWriter(
            output, for: .made("microphone"),
            form: StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 1)),
            configuration: .init(audioSessionMode: isDated ? .videoRecording : .default),
            broadcast: RecordingBroadcast())
        writer.begin(hostTime: time)
        withBlock([Float](repeating: 0.25, count: 4_800)) { writer.write($0) }
        if let marker { writer.mark(marker, at: 2_400) }
        _ = await writer.finish(serverProcessing: [], isWhole: isWhole).value
    }

    /// The labels that belong to a file.
    private func labels(of name: String, in directory: URL) throws -> [String] {
        let path = directory.appending(path: name).path
        return try SoundFileReader(path: path).markers(ofFileAt: path).map(\.label)
    }

    @Test("A list is never that of another recording", arguments: ["flac", "aiff"])
    func listsBelongToTheirRecording(kind: String) async throws {
        let (first, second) = (MonotonicClock.now(), MonotonicClock.now() + 5_000_000_000)
        let name = "talk.\(kind)"
        try await TemporaryDirectory.with { directory in
            // Of two outputs that differ in their extensions, one has a marker.
            try await record("talk.wav", in: directory, marker: "of the other", at: first)
            try await record(name, in: directory, marker: nil, at: first)
            #expect(try labels(of: name, in: directory) == [])
            try await record(name, in: directory, replacing: true, marker: "old", at: first)
            #expect(try labels(of: name, in: directory) == ["old"])

            // One that fails and must not replace the other has its own list, and leaves the other its.
            try await record(name, in: directory, replacing: true, marker: "failed", at: second, isWhole: false)
            #expect(try labels(of: name, in: directory) == ["old"])
            #expect(try labels(of: "talk-partial.\(kind)", in: directory) == ["failed"])

            // One that replaces it has no marker.
            try await record(name, in: directory, replacing: true, marker: nil, at: second)
            #expect(try labels(of: name, in: directory) == [])
            #expect(try labels(of: "talk.wav", in: directory) == ["of the other"])
        }
    }

    @Test("Where another file has the name of the list, it is left alone, and the list found behind it")
    func foreignListsStay() async throws {
        try await TemporaryDirectory.with { directory in
            let foreign = directory.appending(path: "talk.caf.labels.txt")
            try Data("1\t2\tof Audacity\n".utf8).write(to: foreign)
            try await record("talk.caf", in: directory, marker: "own", at: MonotonicClock.now())
            #expect(try labels(of: "talk.caf", in: directory) == ["own"])
            try await record(
                "talk.caf", in: directory, replacing: true, marker: nil, at: MonotonicClock.now() + 5_000_000)
            #expect(try String(contentsOf: foreign, encoding: .utf8) == "1\t2\tof Audacity\n")
            #expect(try labels(of: "talk.caf", in: directory) == [])
        }
    }

    @Test("The list of a file that somebody removed is not that of the next one with a date")
    func datesTell() async throws {
        try await TemporaryDirectory.with { directory in
            let time = MonotonicClock.now()
            try await record("a.caf", in: directory, marker: "old", at: time, isDated: true)
            #expect(try labels(of: "a.caf", in: directory) == ["old"])
            try FileManager.default.removeItem(at: directory.appending(path: "a.caf"))
            try await record("a.caf", in: directory, marker: nil, at: time + 5_000_000_000, isDated: true)
            #expect(try labels(of: "a.caf", in: directory) == [])
            try FileManager.default.removeItem(at: directory.appending(path: "a.caf"))
            try await record("a.caf", in: directory, marker: "new", at: time + 9_000_000_000, isDated: true)
            #expect(try labels(of: "a.caf", in: directory) == ["new"])
        }
    }

    @Test("A list goes with its file to another name")
    func renamedListsAreFound() async throws {
        try await TemporaryDirectory.with { directory in
            try await record("a.caf", in: directory, marker: "m", at: MonotonicClock.now())
            for suffix in ["", ".labels.txt"] {
                try FileManager.default.moveItem(
                    at: directory.appending(path: "a.caf\(suffix)"), to: directory.appending(path: "b.caf\(suffix)"))
            }
            #expect(try labels(of: "b.caf", in: directory) == ["m"])
        }
    }
}
