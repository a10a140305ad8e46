import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct FileNamesTests {
    private static var time: WallClock { WallClock(hostTime: MonotonicClock.now()) }

    private static func names(_ output: RecordingOutput, reserved: [String] = []) -> FileNames {
        FileNames(output, sourceName: "room", modeName: "default", reserved: reserved)
    }

    private static func path(_ name: FileNames.Name) -> String? {
        if case .file(let path) = name.destination { path } else { nil }
    }

    private static func create(_ path: String) throws {
        try Data().write(to: URL(filePath: path))
    }

    @Test("A later file avoids existing names, also where the first may be replaced, and reserved ones")
    func laterFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let stem = directory.path + "/take"
            try Self.create(stem + "-002.wav")
            for replaces in [false, true] {
                let output = try RecordingOutput(path: stem + ".wav", replacesExisting: replaces)
                var names = Self.names(output, reserved: [directory.path + "/./take-003.wav"])
                let first = names.next(at: Self.time)
                #expect(Self.path(first) == stem + ".wav" && first.replacesExisting == replaces && !first.isChosen)
                let next = names.next(at: Self.time)
                #expect(Self.path(next) == stem + "-004.wav" && !next.replacesExisting && next.isChosen)
                #expect(Self.path(names.next(at: Self.time)) == stem + "-005.wav")
            }
        }
    }

    @Test("A number in a pattern is a free one, even if files may be replaced")
    func numbersAreFree() async throws {
        try await TemporaryDirectory.with { directory in
            try Self.create(directory.path + "/001.wav")
            let pattern = try FilePattern(directory.path + "/{n}.wav")
            let output = RecordingOutput(.pattern(pattern), container: .wav, replacesExisting: true)
            var names = Self.names(output, reserved: [directory.path + "/002.wav"])
            let name = names.next(at: Self.time)
            #expect(Self.path(name) == directory.path + "/003.wav" && !name.replacesExisting && name.isChosen)
        }
    }

    @Test(
        "Of a pattern without a number, only the first file may replace another: a later one would replace its own recording"
    )
    func laterFilesOfAPattern() async throws {
        try await TemporaryDirectory.with { directory in
            let pattern = try FilePattern(directory.path + "/{mode}.wav")
            let output = RecordingOutput(.pattern(pattern), container: .wav, replacesExisting: true)
            var names = Self.names(output)
            for name in ["default.wav", "default-002.wav", "default-003.wav"] {
                let next = names.next(at: Self.time)
                #expect(Self.path(next) == "\(directory.path)/\(name)")
                #expect(next.replacesExisting == (name == "default.wav"))
                try Self.create(Self.path(next) ?? "")
            }
        }
    }

    @Test("Files follow a directory that is renamed, even twice")
    func followsADirectory() async throws {
        var names = Self.names(try RecordingOutput(path: "/nosuch/a/take.wav"))
        _ = names.next(at: Self.time)
        names.followMove(from: "/nosuch/a", to: "/nosuch/b")
        #expect(Self.path(names.next(at: Self.time)) == "/nosuch/b/take-002.wav")
        names.followMove(from: "/nosuch/b", to: "/nosuch/c")
        #expect(Self.path(names.next(at: Self.time)) == "/nosuch/c/take-003.wav")
        #expect(names.moved("/nosuch/a/take.wav") == "/nosuch/c/take.wav" && names.moved("/other/x") == "/other/x")
    }

    @Test("If somebody else takes an automatic name first, the next one is tried; an explicit name is not changed")
    func somebodyElseIsFirst() async throws {
        try await TemporaryDirectory.with { directory in
            let pattern = RecordingOutput(.pattern(try FilePattern(directory.path + "/{n}.wav")), container: .wav)
            #expect(try Self.tried(pattern) == ["001", "002", "003"].map { "\(directory.path)/\($0).wav" })
            let given = directory.path + "/take.wav"
            #expect(try Self.tried(RecordingOutput(path: given)) == [given])
        }
    }

    /// The paths that are tried while others take the first two.
    private static func tried(_ output: RecordingOutput) throws -> [String] {
        var names = names(output)
        var paths: [String] = []
        #expect(throws: ACCAudioRecorderError.self) {
            _ = try FileRotator.next(output, &names, at: time) { output throws(ACCAudioRecorderError) in
                if case .file(let path) = output.destination { paths.append(path) }
                try? create(paths.last ?? "")
                throw .outputFailed(
                    .init(paths.count < 3 ? .fileExists : .cannotCreate, "cannot create it", cause: "", remedy: ""))
            }
        }
        return paths
    }
}
