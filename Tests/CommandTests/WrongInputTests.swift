import Foundation
import TestSupport
import Testing

/// Wrong input results in one clear line and a nonzero status, and nothing is written.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct WrongInputTests {
    private static let usage: [(arguments: [String], message: String)] = [
        (["-o", "take.wav", "-r", "0"], "a whole number from 8000 to 384000, or 'native'"),
        (["-o", "take.wav", "-r", "3000000000"], "a whole number from 8000 to 384000, or 'native'"),
        (["-o", "take.wav", "-r", "abc"], "a whole number from 8000 to 384000, or 'native'"),
        (["-o", "take.wav", "-c", "0"], "a whole number from 1 to 32, or 'native'"),
        (["-o", "take.wav", "-c", "300"], "a whole number from 1 to 32, or 'native'"),
        (["-o", "take.wav", "-b", "0"], "a whole number from 16 to 65536"),
        (["-o", "take.wav", "--max", "0"], "a length of time up to 1000 hours"),
        (["-o", "take.wav", "--max", "-5"], "the value '-5' is invalid for '--max <time>': it is negative"),
        (["-o", "take.wav", "--max", "0"], "it is no time at all; give"),
        (["-o", "take.wav", "--max", "1:75"], "minutes and seconds end at 59; give"),
        (["-o", "take.wav", "--max", "2000h"], "it is longer than that; give"),
        (["-o", "take.wav", "-r", "44.1"], "give hertz: 44100, or 44.1k for kilohertz"),
        (["-o", "take.wav", "-r", "48"], "give hertz: 48000, or 48k for kilohertz"),
        (
            ["-o", "take.wav", "--stop-on-silence", "-40"],
            "it is negative. Give a time such as 3s; --silence-level -40 sets the level."
        ),
        (["-o", "take.wav", "--max=-5"], "it is negative; give a length of time up to 1000 hours"),
        (
            ["-o", "take.wav", "--encoding", "s17"],
            "Give one of native, u8, s16, s24, s32, f32, f64. Did you mean 's16'?"
        ),
        (["-o", "take.wav", "-m", "loud"], "voice-chat"),
        (["-o", "take.wav", "-m", "voicechat"], "Did you mean 'voice-chat'?"),
        (["-o", "take.wav", "--no-such-flag"], "--no-such-flag"),
        (["-o", "take.wav", "--encodng", "s16"], "Did you mean '--encoding'?"),
        (["-o", "."], "'.' is a directory. Name a file in it; on the command line, --auto-name does."),
        (["-o", "talk.m4a"], "accrec record -o - --format wav | ffmpeg -i - take.m4a"),
        (["-o", "take.mp3", "--bitrate", "fast"], "give a number of kbit/s, such as 128"),
        (["-o", "take.xyz"], "its extension is unknown"),
        (["-o", "take.flac", "--encoding", "f32"], "the format does not support it"),
        (["-o", "take.opus", "--encoding", "s16"], "Leave the encoding out"),
        (["-o", "take.mp3", "--bitrate", "64", "--compression", "2"], "exclude each other"),
        (["-o", "take.flac", "--compression", "9"], "Choose from 0 to 8."),
        (["-o", "take.wav", "--bitrate", "64"], "its bit rate cannot be set"),
        (["-o", "take.wav", "--format", "flac"], "use .flac, or leave the format out"),
        (["-o", "take", "--format", "wma"], "Give one of wav, rf64,"),
        (["-o", "-", "--format", "mp3"], "Choose wav, flac, vorbis, opus or raw."),
        (["-o", "-", "--stdout-overflow", "wat"], "Did you mean 'wait'?"),
        (["-o", "take.wav", "--start-at", "25:00"], "give a time of day, such as 18:00"),
        (["-o", "take.wav", "--start-at", "2026-02-30T18:00"], "give a time of day, such as 18:00"),
        (["-o", "take.wav", "--start-at", "2001-01-01T00:00"], "the time of --start-at has passed"),
        (["-o", "take.wav", "--start-at", "18:00", "--start-in", "5m"], "exclude each other"),
        (["-o", "take.wav", "--for", "5m", "--max", "5m"], "exclude each other"),
        (["-o", "{n}.wav", "--every", "1h"], "--every needs --for"),
        (["-o", "{n}.wav", "--every", "1h", "--for", "1h"], "--every needs --for"),
        (["-o", "take.wav", "--every", "1h", "--for", "5m"], "--every needs a new name for each take"),
        (["-o", "-", "--every", "1h", "--for", "5m"], "--every needs a new name for each take"),
        (["-o", "{n}.wav", "--every", "1h", "--for", "5m", "--report", "r.json"], "--report excludes --every"),
        (["-o", "take.wav", "--split-every", ".5"], "give a length of at least 1 s"),
        (["-o", "take.wav", "--select", "1,2", "--channel-map", "mono"], "but --select picks"),
        (["-o", "%9999Y.wav"], "unknown placeholder '%9999Y'. Write"),
        (["-o", "%Q.wav"], "unknown placeholder '%Q'. Write"),
        (["-o", "100%.wav"], "unknown placeholder '%.'. Write %% for a percent sign"),
        (["-o", "x{foo}.wav"], "unknown placeholder '{foo}'. Write {{ for a brace; known placeholders are"),
        (["-o", "take.wav", "--start-at", "٢٠٢٦-11-21T18:00"], "give a time of day, such as 18:00"),
        (["-o", "take.wav", "--start-at", "2036-11-21T18:00+99:99"], "give a time of day, such as 18:00"),
        (["-o", "--max", "60"], "'--max' is an option"),
        (["-o", "take.wav", "--title", "-5 dB"], "after an equals sign: --title=-5 dB"),
        (["take.wav", "-b", "64", "--buffer-size", "32"], "--buffer-size can be given only once"),
        (["take.wav", "-d", "a", "--device", "a"], "name each source once"),
        (["take.wav", "-c", "1", "--config", "x", "-c", "2"], "--channels can be given only once"),
        (["take.wav", "-x", "3"], "unknown option '-x'"),
        (["take.wav", "-qx"], "unknown option '-x'"),
        (["take.wav", "-rate", "48000"], "unknown option '-rate'. Did you mean '--rate'?"),
        (["take.wav", "--events", "fd:3"], "descriptor 3 is not open for writing"),
        (["take.wav", "--events", "fd:0"], "descriptor 0 is not open for writing"),
        (["take.wav", "--keep-last", "3"], "--keep-last needs --split-every or --split-size"),
        (["take.wav", "--stdout-buffer", "3"], "--stdout-buffer needs the output '-'"),
        (["take.wav", "--stdout-overflow", "wait"], "--stdout-overflow needs the output '-'"),
        (["--outptu", "take.wav"], "unknown option '--outptu'. Did you mean '--output'?"),
        (["--source", "lark"], "unknown option '--source': -d names the source. 'accrec record -h' lists the options"),
        (["-t", "10"], "unknown option '-t': --duration, or --max, ends after a time"),
        (["-f", "cd"], "unknown option '-f': -r 44100 -c 2 --encoding s16 sets the form"),
        (["-y", "take.wav"], "unknown option '-y': --force replaces an existing file"),
        (["--forse", "take.wav"], "unknown option '--forse'. "),
        (["--normalize"], "unknown option '--normalize': accrec changes no levels."),
        (["--microphone"], "unknown option '--microphone': --mic records the microphone"),
        (["take.wav", "--encoding", "float"], "Did you mean 'f32'?"),
        (["take.wav", "--encoding", "pcm_s24le"], "Did you mean 's24'?"),
        (["take.wav", "-c", "stereo"], "give a number: 1 for mono, 2 for stereo"),
        (["take.wav", "-c", "left"], "--select 1 records the first one"),
        (["my", "take.wav"], "the format of 'my': its extension is unknown. Put a name with spaces in quotes."),
        (["take.wav", "--encoding", "16bit"], "Did you mean 's16'?"),
        (["-o", "a.wav,device=lark"], "unknown output setting 'device'; there are rate"),
        (["-o", "a.wav,device=lark"], "Did you mean 'input'?"),
        (["--frobnicate"], "unknown option '--frobnicate'. 'accrec record -h' lists the options"),
        (["--inputs", "mic,10"], "a bare number is no source"),
        (["-d", "10"], "a bare number is no source. --max 10 sets a length; -d '#10' is source 10"),
    ]

    private static let outputs: [(arguments: [String], message: String, status: Int32)] = [
        (["-o", "directory.wav"], "it is a directory", 11),
        (["-o", "nosuch/take.wav"], "there is no directory 'nosuch'. Use --mkdir", 11),
        (["-o", "existing.wav"], "it already exists", 11),
        (["-o", "take.opus", "-r", "44100"], "Choose a rate of 8000, 12000, 16000, 24000 or 48000 Hz", 64),
        (["-o", "take.flac", "-c", "9"], "it supports at most 8", 64),
        (["-o", "take.mp3", "--bitrate", "99"], "Choose 32, 40,", 64),
        (["-o", "a.wav", "-o", "a.wav"], "is the same file as", 64),
    ]

    private func expectRefusal(
        _ arguments: [String], _ message: String, choices: Int = 0, status: Int32, on server: PrivateServer? = nil,
        in directory: URL
    ) async throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        let result = try await AccrecProcess.run(["record"] + arguments, on: server, in: directory)
        #expect(result.end == .exit(status), "\(arguments)")
        #expect(result.standardError.contains(message), "\(arguments): \(result.standardError)")
        #expect(result.standardError.hasPrefix("accrec: "))
        #expect(result.standardError.split(separator: "\n").count == 1 + choices, "\(result.standardError)")
        #expect(result.standardOutput.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == before)
    }

    @Test func mistakesOnTheCommandLine() async throws {
        try await TemporaryDirectory.with { directory in
            for (arguments, message) in Self.usage {
                try await expectRefusal(arguments, message, status: 64, in: directory)
            }
        }
    }

    @Test("B-05: outputs that cannot be created are rejected before anything is opened")
    func impossibleOutputs() async throws {
        try await TemporaryDirectory.with { directory in
            try FileManager.default.createDirectory(
                at: directory.appending(path: "directory.wav"), withIntermediateDirectories: false)
            try Data("old".utf8).write(to: directory.appending(path: "existing.wav"))
            for (arguments, message, status) in Self.outputs {
                try await expectRefusal(arguments, message, status: status, in: directory)
            }
        }
    }

    @Test("A directory that nobody can write to, not even root")
    func unwritableDirectory() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try await expectRefusal(
                ["-o", "/proc/take.wav", "-d", "room.monitor"], "cannot create '/proc/take.wav': ", status: 11,
                on: server,
                in: server.directory)
        }
    }

    @Test("R-09: no server", arguments: [["record", "-o", "take.wav"], ["devices"]])
    func noServer(arguments: [String]) async throws {
        try await TemporaryDirectory.with { directory in
            let result = try await AccrecProcess.run(arguments, on: nil, in: directory)
            #expect(result.end == .exit(9))
            #expect(result.standardError.contains("Connection refused"))
            #expect(result.standardError.contains("PULSE_SERVER"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    @Test("D-05: without a microphone or for an unknown source, the sources are listed", arguments: ServerKind.allCases)
    func sourcesAreListed(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.setDefaultSource("room.monitor")
            let directory = server.directory
            let recording = ["-o", "take.wav"]
            try await expectRefusal(recording, "(room.monitor)", choices: 1, status: 8, on: server, in: directory)
            try await expectRefusal(
                recording + ["-d", "nosuch"], "'nosuch': no such source. Name one of:", choices: 1, status: 8,
                on: server,
                in: directory
            )
        }
    }
}
