/// What people type who come from other recorders, and what they mean.
enum Habits {
    /// A word that is an option elsewhere.
    private struct Habit {
        let words: [String]
        /// The option here, or what else to do.
        let answer: String
    }

    private static let habits: [Habit] = [
        Habit(words: ["--source", "--input-device", "--dev", "-D", "-i", "--input"], answer: "-d names the source"),
        Habit(
            words: ["-t", "--time", "--length", "--seconds", "--stop-after"],
            answer: "--max ends after a time, such as 60 or 1h"),
        Habit(words: ["--end-at", "--stop-at", "--end"], answer: "--until ends at a time of day, --max after a time"),
        Habit(words: ["-f"], answer: "-r, -c and --encoding set the form; the file's name sets the format"),
        Habit(words: ["--overwrite", "-y"], answer: "--force replaces an existing file"),
        Habit(words: ["--split"], answer: "--split-every and --split-size begin new files"),
        Habit(words: ["--start"], answer: "--start-at begins at a time of day, --start-in after a time"),
        Habit(words: ["--out", "--output-file", "--file", "--name"], answer: "-o names the file, or --auto-name does"),
        Habit(words: ["--vad", "--voice-activation"], answer: "--start-on-sound begins with a sound"),
        Habit(
            words: ["--monitor", "--loopback", "--system-audio"], answer: "--desktop records what the desktop plays"),
        Habit(words: ["--bits", "--bit-depth", "--sample-format"], answer: "--encoding sets s16, s24 or f32"),
        Habit(words: ["--application", "--program"], answer: "--app records what one application plays"),
        Habit(words: ["--mono", "--stereo"], answer: "-c 1 and -c 2 set the channels"),
        Habit(words: ["--call", "--meeting"], answer: "--mic --desktop records both sides"),
        Habit(
            words: ["--segment", "--segment-time", "--rotate"], answer: "--split-every begins a new file each 10m or 1h"
        ),
        Habit(
            words: ["--levels", "--meter", "--show-levels"],
            answer: "the meter shows them; --history draws them over time"),
        Habit(words: ["--silence"], answer: "--stop-on-silence ends after a silence"),
        Habit(words: ["--json"], answer: "--report writes the report as JSON, --events what happens meanwhile"),
        Habit(words: ["--microphone"], answer: "--mic records the microphone, as without an option"),
        Habit(
            words: ["--volume", "--amplify", "--normalize", "--normalise", "--agc"],
            answer: "accrec changes no levels. Set the source's volume, or change the file afterwards with SoX"),
        Habit(words: ["--append", "--resume"], answer: "pause a recording instead, or name each file with {n}"),
        Habit(words: ["-l", "-L", "--list", "--list-devices"], answer: "'accrec devices' lists the sources"),
        Habit(words: ["--verbose"], answer: "all messages are shown unless --quiet is given"),
        Habit(
            words: ["--background", "--daemon"], answer: "end the line with '&'; 'accrec ctl stop' ends the recording"),
        Habit(words: ["-V"], answer: "the meter is shown on a terminal by itself"),
    ]

    /// What to do instead of an option that `accrec record` does not have; nil for any other word.
    static func answer(to word: String) -> String? { habits.first { $0.words.contains(word) }?.answer }

    /// What other programs call commands, and the command here.
    private static let commands = [
        "list": "devices", "sources": "devices", "pause": "ctl pause", "resume": "ctl resume", "stop": "ctl stop",
        "mark": "ctl mark", "split": "ctl split", "verify": "check", "validate": "check", "fix": "repair",
        "picture": "check --picture", "plot": "check --picture", "monitor": "meter", "levels": "meter",
        "start": "record", "capture": "record", "toggle": "ctl toggle", "save": "ctl save", "discard": "ctl discard",
        "status": "ctl", "apps": "devices --apps", "version": "--version",
    ]

    /// What people call encodings, and the encoding.
    private static let encodings = [
        "16bit": "s16", "16-bit": "s16", "int16": "s16", "pcm": "s16", "24bit": "s24", "24-bit": "s24", "int24": "s24",
        "32bit": "s32", "32-bit": "s32", "int32": "s32", "float": "f32", "float32": "f32", "double": "f64",
        "float64": "f64",
    ]

    /// The encoding that is meant by a word that is none; nil for any other word.
    static func encoding(for word: String) -> String? { encodings[word] }

    /// The command that is meant by a word that is none; nil for any other word.
    static func command(for word: String) -> String? { commands[word] }
}
