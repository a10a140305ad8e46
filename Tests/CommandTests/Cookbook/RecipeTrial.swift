import TestSupport

/// How to run a recipe, and the expected result.
struct RecipeTrial: Sendable {
    /// How it ends.
    enum Course: Sendable {
        case byItself
        /// By Ctrl-C, once this many files have been seen, the last of them grows, and no more files are left than
        /// should be kept.
        case interrupted(filesSeen: Int)
        /// In a terminal, after key presses for this many texts.
        case read(texts: Int)
    }

    /// A file that must exist in the end.
    struct Expectation: Sendable {
        /// A pattern for its name.
        var name: String
        var rate = 48_000
        var channels = 2
        /// The allowed number of frames.
        var frames: ClosedRange<Int>
        /// The frequency of its tone in Hz, by default that of the default source.
        var frequency = 1_000.0
    }

    /// The name of the recipe.
    let name: String
    /// Replacements in the command: shorter times, and the path of the program.
    let substitutes: [String: String]
    var course = Course.byItself
    /// A pattern for its standard output.
    var prints = ""
    /// All sound files that must exist in the end.
    var files: [Expectation] = []
}

extension RecipeTrial {
    private static let aSecond = ["--max 60": "--max 1"]
    private static let installed = ["/usr/local/bin/accrec": "accrec"]
    private static let ring = ["--split-every 1h": "--split-every 1", "--keep-last 24": "--keep-last 2"]
    private static let time = #"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.flac"#

    /// ffmpeg's encoder fills its last block of 1024 frames.
    private static let aac = Expectation(name: "take.m4a", frames: 48_000...49_024)
    private static let speech = Expectation(name: "speech.wav", channels: 1, frames: 48_000...48_000)
    private static let recording = Expectation(name: "take.wav", frames: 48_000...48_000)

    /// The last two files of a log: a complete one, about a second long since frames may arrive late, and one that has
    /// just begun.
    private static func log(in directory: String) -> [Expectation] {
        [24_000...72_000, 1...72_000].map { Expectation(name: "\(directory)/\(time)", frames: $0) }
    }

    static func all() throws -> [RecipeTrial] {
        [
            RecipeTrial(
                name: "Speech for a recogniser", substitutes: ["--max 60": "--max 2"],
                prints: #"16000 samples, \S+ dBFS\n16000 samples, -(8|9|10)\.\d dBFS\n"#),
            RecipeTrial(name: "Encode with ffmpeg, 1", substitutes: aSecond, files: [aac]),
            RecipeTrial(name: "Encode with ffmpeg, 2", substitutes: aSecond, files: [aac]),
            RecipeTrial(name: "Filter with SoX, 1", substitutes: aSecond, files: [speech]),
            RecipeTrial(name: "Filter with SoX, 2", substitutes: aSecond, files: [speech]),
            RecipeTrial(
                name: "A meeting, to keep and to send", substitutes: ["--max 1:30:00": "--max 1"],
                files: [
                    Expectation(name: "meeting.flac", frames: 48_000...48_000),
                    Expectation(name: "meeting.opus", channels: 1, frames: 48_000...48_000),
                ]),
            RecipeTrial(
                name: "Both sides of a call, 1", substitutes: ["--max 1:30:00": "--max 1"],
                files: [Expectation(name: "call.flac", frames: 48_000...48_000)]),
            RecipeTrial(
                name: "Both sides of a call, 2", substitutes: ["--max 1:30:00": "--max 1"],
                prints: #"me \d{4,}, others \d+\n"#),
            RecipeTrial(
                name: "Both sides of a call, 3", substitutes: ["--max 1:30:00": "--max 1"],
                files: ["desk", "lamp"].map {
                    Expectation(name: "table-\($0).flac", channels: 1, frames: 48_000...48_000)
                }),
            // Nothing but the other recipes plays there.
            RecipeTrial(
                name: "What the desktop plays", substitutes: aSecond,
                files: [Expectation(name: "desktop.flac", frames: 1...48_000)]),
            RecipeTrial(
                name: "Dictation, until you are silent", substitutes: ["--quiet": "--quiet --max 1"],
                files: [Expectation(name: "dictation.wav", rate: 16_000, channels: 1, frames: 16_000...16_000)]),
            RecipeTrial(
                name: "Over ssh", substitutes: aSecond.merging(["ssh studio": "env"]) { $1 },
                files: [Expectation(name: "take.flac", frames: 48_000...48_000)]),
            RecipeTrial(
                name: "On a memory stick",
                substitutes: ["--split-every 1h": "--split-every 1", "--max 10h": "--max 2"],
                files: ["-002", ""].map {
                    Expectation(name: "stick/concert\($0).wav", frames: 48_000...48_000)
                }),
            RecipeTrial(
                name: "Is a corpus good?",
                substitutes: ["accrec check": "mkdir corpus && accrec record -q corpus/1.flac --max 1; accrec check"],
                prints: "see corpus.html\n", files: [Expectation(name: "corpus/1.flac", frames: 48_000...48_000)]),
            RecipeTrial(
                name: "Loudness for broadcast", substitutes: aSecond, prints: #"(.*\n)*result .*\n"#,
                files: [
                    Expectation(name: "take-normal.wav", frames: 1...48_100), recording,
                ]),
            RecipeTrial(
                name: "What one application plays", substitutes: [:],
                files: [
                    // Two seconds, without what was played before the recording began, but with the silence after them.
                    Expectation(
                        name: "player.flac", frames: 24_000...480_000, frequency: 700)
                ]),
            RecipeTrial(
                name: "Only when there is sound",
                substitutes: ["--pre-roll 2s": "--pre-roll 0.2", "--exec": "--max 1 --exec"],
                files: [Expectation(name: "heard/\(time)", frames: 48_000...48_000)]),
            RecipeTrial(
                name: "Bats, birds and insects",
                substitutes: ["--pre-roll 1s": "--pre-roll 0.2 --max 1"],
                files: [
                    Expectation(name: #"site/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.wav"#, frames: 48_000...48_000)
                ]),
            RecipeTrial(
                name: "A microphone on another machine",
                substitutes: aSecond.merging(["4713": "\(try LoopbackPort.free())"]) { $1 },
                prints: #"\d+\n(.*\n)*>\* +\d+  desk .*\n(.*\n)*"#, files: [recording]),
            RecipeTrial(
                name: "The last day, in hourly files", substitutes: ring, course: .interrupted(filesSeen: 3),
                files: log(in: "log")),
            RecipeTrial(
                name: "A timetable, 1",
                substitutes: ["18:00": #""$(date -d '2 seconds' +%T)""#, "--for 1:30:00": "--for 1"],
                files: [Expectation(name: "concert.flac", frames: 48_000...48_000)]),
            RecipeTrial(
                name: "A timetable, 2", substitutes: ["--every 1h": "--every 2", "--for 10m": "--for 1"],
                course: .interrupted(filesSeen: 2),
                files: [48_000...48_000, 1...48_000].map { Expectation(name: "log/\(time)", frames: $0) }),
            RecipeTrial(
                name: "From cron", substitutes: installed.merging(["--max 10m": "--max 1"]) { $1 },
                files: [Expectation(name: "log/\(time)", frames: 48_000...48_000)]),
            RecipeTrial(
                name: "A corpus read aloud", substitutes: [:], course: .read(texts: 2),
                files: ["001", "002"].map {
                    Expectation(name: "corpus/\($0).flac", channels: 1, frames: 24_000...480_000)
                }),
            RecipeTrial(
                name: "The exit status, in a script", substitutes: aSecond, prints: #"take\.wav is complete\n"#,
                files: [recording]),
            RecipeTrial(
                name: "Events, for a program", substitutes: ["--max 60": "--max 2"],
                prints: #"(peak -\S+ dBFS\n)+96000 frames, limit\n"#,
                files: [Expectation(name: "take.wav", frames: 96_000...96_000)]),
            RecipeTrial(
                name: "accrec-hourly.service", substitutes: installed.merging(["--max 1m": "--max 1"]) { $1 },
                files: [Expectation(name: "Recordings/hourly/\(time)", frames: 48_000...48_000)]),
            RecipeTrial(
                name: "accrec-logger.service",
                substitutes: installed.merging([
                    "--split-every 1h": "--split-every 1", "--keep-for 7d": "--keep-last 2",
                ]) {
                    $1
                },
                course: .interrupted(filesSeen: 3),
                files: log(in: "Recordings/log")),
        ]
    }
}
