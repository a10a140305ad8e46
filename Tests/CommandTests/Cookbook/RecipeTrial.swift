import TestSupport

/// How a recipe is tried, and what has to come of it.
struct RecipeTrial: Sendable {
    /// How it comes to its end.
    enum Course: Sendable {
        case byItself
        /// By Ctrl-C, when so many files have been seen, the last of them grows, and no more are there than are to stay.
        case interrupted(filesSeen: Int)
        /// In a terminal, by the keys for this many texts.
        case read(texts: Int)
    }

    /// A file that has to be there in the end.
    struct Expectation: Sendable {
        /// A pattern for its name.
        var name: String
        var rate = 44_100
        var channels = 1
        /// How many it may have.
        var frames: ClosedRange<Int>
        /// Of the tone that it holds, in Hz: what the default source hears, unless it is another's.
        var frequency = 1_000.0
    }

    /// That of the recipe.
    let name: String
    /// What stands for what: shorter times, and the place of the program.
    let substitutes: [String: String]
    var course = Course.byItself
    /// A pattern for all that it prints on standard output.
    var prints = ""
    /// All sound files that are there in the end, by their names.
    var files: [Expectation] = []
}

extension RecipeTrial {
    private static let aSecond = ["--max 60": "--max 1"]
    private static let installed = ["/usr/local/bin/accrec": "accrec"]
    private static let ring = ["--split-every 1h": "--split-every 1", "--keep-last 24": "--keep-last 2"]
    private static let time = #"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.flac"#

    /// The encoder of ffmpeg fills its last block of 1024 frames.
    private static let aac = Expectation(name: "take.m4a", rate: 48_000, channels: 2, frames: 48_000...49_024)
    private static let speech = Expectation(name: "speech.wav", rate: 48_000, frames: 48_000...48_000)
    private static let take = Expectation(name: "take.wav", frames: 44_100...44_100)

    /// The last two files of a log: a whole one, as long as a second by the clock is where frames come late, and one that
    /// has just begun.
    private static func log(in directory: String) -> [Expectation] {
        [22_050...66_150, 1...66_150].map { Expectation(name: "\(directory)/\(time)", frames: $0) }
    }

    static func all() throws -> [RecipeTrial] {
        [
            RecipeTrial(
                name: "Speech for a recogniser", substitutes: ["--max 60": "--max 2"],
                prints: #"16000 samples, \S+ dBFS\n16000 samples, -(8|9|10)\.\d dBFS\n"#),
            RecipeTrial(name: "ffmpeg at the other end, 1", substitutes: aSecond, files: [aac]),
            RecipeTrial(name: "ffmpeg at the other end, 2", substitutes: aSecond, files: [aac]),
            RecipeTrial(name: "SoX at the other end, 1", substitutes: aSecond, files: [speech]),
            RecipeTrial(name: "SoX at the other end, 2", substitutes: aSecond, files: [speech]),
            RecipeTrial(
                name: "A meeting, to keep and to send", substitutes: ["--max 1:30:00": "--max 1"],
                files: [
                    Expectation(name: "meeting.flac", rate: 48_000, channels: 2, frames: 48_000...48_000),
                    Expectation(name: "meeting.opus", rate: 48_000, frames: 48_000...48_000),
                ]),
            RecipeTrial(
                name: "What one application plays", substitutes: [:],
                files: [
                    // Two seconds, less what was played before the take began, and the silence after them.
                    Expectation(
                        name: "player.flac", rate: 48_000, channels: 2, frames: 24_000...480_000, frequency: 700)
                ]),
            RecipeTrial(
                name: "A microphone of another machine",
                substitutes: aSecond.merging(["4713": "\(try LoopbackPort.free())"]) { $1 },
                prints: #"\d+\n(.*\n)*>\* desk .*\n(.*\n)*"#, files: [take]),
            RecipeTrial(
                name: "The last day, in files of an hour", substitutes: ring, course: .interrupted(filesSeen: 3),
                files: log(in: "log")),
            RecipeTrial(
                name: "A time table, 1",
                substitutes: ["18:00": #""$(date -d '2 seconds' +%T)""#, "--for 1:30:00": "--for 1"],
                files: [Expectation(name: "concert.flac", rate: 48_000, channels: 2, frames: 48_000...48_000)]),
            RecipeTrial(
                name: "A time table, 2", substitutes: ["--every 1h": "--every 2", "--for 10m": "--for 1"],
                course: .interrupted(filesSeen: 2),
                files: [44_100...44_100, 1...44_100].map { Expectation(name: "log/\(time)", frames: $0) }),
            RecipeTrial(
                name: "From cron", substitutes: installed.merging(["--max 10m": "--max 1"]) { $1 },
                files: [Expectation(name: "log/\(time)", frames: 44_100...44_100)]),
            RecipeTrial(
                name: "A corpus that is read aloud", substitutes: [:], course: .read(texts: 2),
                files: ["001", "002"].map {
                    Expectation(name: "corpus/\($0).flac", rate: 48_000, frames: 24_000...480_000)
                }),
            RecipeTrial(
                name: "How it ended, for a script", substitutes: aSecond, prints: #"take\.wav is whole\n"#,
                files: [take]),
            RecipeTrial(
                name: "What happens, for a program", substitutes: ["--max 60": "--max 2"],
                prints: #"(peak -\S+ dBFS\n)+88200 frames, limit\n"#,
                files: [Expectation(name: "take.wav", frames: 88_200...88_200)]),
            RecipeTrial(
                name: "accrec-hourly.service", substitutes: installed.merging(["--max 1m": "--max 1"]) { $1 },
                files: [Expectation(name: "Recordings/hourly/\(time)", frames: 44_100...44_100)]),
            RecipeTrial(
                name: "accrec-logger.service", substitutes: installed.merging(ring) { $1 },
                course: .interrupted(filesSeen: 3),
                files: log(in: "Recordings/log")),
        ]
    }
}
