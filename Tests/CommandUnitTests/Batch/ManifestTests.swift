import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// Plans made from manifests, and the messages about mistakes.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct ManifestTests {
    private static let keys = Result { try Manifest.Keys() }

    /// The plan for a manifest and the reported mistakes; outputs are placed in the directory.
    private func read(
        _ text: String, _ kind: String, isPrompted: Bool = false, isContinued: Bool = false, effective: [Setting] = []
    ) async throws -> (plan: BatchPlan, mistakes: [String]) {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "m.\(kind)")
            let content = text.replacing("DIR", with: directory.path)
            try Data(content.utf8).write(to: file)
            return try read(file, isPrompted: isPrompted, isContinued: isContinued, effective: effective)
        }
    }

    private func read(
        _ file: URL, isPrompted: Bool = false, isContinued: Bool = false, effective: [Setting] = []
    ) throws -> (plan: BatchPlan, mistakes: [String]) {
        var mistakes = FileMistakes(path: file.path)
        let keys = try Self.keys.get()
        let manifest = Manifest(path: file.path, keys: keys, mistakes: &mistakes)
        let reader = RowReader(
            keys: keys, flags: [], isPrompted: isPrompted, defaults: manifest.defaults, effective: effective, &mistakes)
        let plan = BatchPlan(manifest, reader, isContinued: isContinued, own: [file.path], mistakes: &mistakes)
        plan.obstacles.report(in: &mistakes)
        let place = file.path + ":"
        return (plan, mistakes.isEmpty ? [] : mistakes.lines.map { $0.replacing(place, with: "") })
    }

    private static let toml = """
        [defaults]
        rate = 48000
        title = "A [[take]] of ours"

        [[take]]
        output = "DIR/a-{n}.wav"
        duration = 2.5
        count = 2
        pause = "1m"
        tags = { mood = "calm", room = "hall" }
        comment = \"\"\"
        [[take]]
        is no take.\"\"\"

        [[take]]
        output = "DIR/b.flac"
        max = "1:30"
        rate = 16000
        select = [1, 2]
        start = 18:30:00
        prompt = "Say, \\"no\\"."
        """
    private static let csv = """
        output,duration,count,pause,tags,comment,rate,select,start,prompt,title
        DIR/a-{n}.wav,2.5,2,1m,mood=calm; room=hall,"[[take]]\nis no take.",48000,,,,A [[take]] of ours
        DIR/b.flac,1:30,,,,,16000,"1,2",18:30,"Say, ""no"".",A [[take]] of ours
        """
    private static let jsonLines = """
        {"output":"DIR/a-{n}.wav","duration":2.5,"count":2,"pause":"1m","tags":{"mood":"calm","room":"hall"},\
        "comment":"[[take]]\\nis no take.","rate":48000,"title":"A [[take]] of ours","device":null}

        {"output":["DIR/b.flac"],"max":"1:30","rate":"16000","select":[1,2],"start":"18:30","prompt":"Say, \\"no\\".",\
        "title":"A [[take]] of ours"}
        """

    @Test(arguments: [("toml", toml, [5, 15]), ("csv", csv, [2, 4]), ("jsonl", jsonLines, [1, 3])])
    func allFormatsAreEquivalent(kind: String, text: String, lines: [Int]) async throws {
        let (plan, mistakes) = try await read(text, kind)
        #expect(mistakes == [])
        #expect(plan.takeCount == 3 && plan.rows.count == 2)
        let takes = plan.rows.flatMap(\.takes)
        #expect(takes.map(\.number) == [1, 2, 3] && takes.map(\.repetition) == [1, 2, 1])
        #expect(takes.map(\.line) == [lines[0], lines[0], lines[1]])
        #expect(
            takes.flatMap(\.paths).map { $0.split(separator: "/").last } == ["a-001.wav", "a-002.wav", "b.flac"])
        #expect(takes.map(\.duration) == [2.5, 2.5, 90])
        #expect(plan.rows.map(\.pause) == [60, 0] && plan.rows.map(\.start) == [nil, .ofDay(seconds: 66_600)])
        #expect(takes.map(\.configuration.sampleRate) == [48_000, 48_000, 16_000])
        #expect(takes[2].configuration.channels.numbers == [1, 2])
        #expect(takes[0].outputs[0].otherTags == ["mood": "calm", "room": "hall"])
        #expect(takes[0].outputs[0].tags[.comment] == "[[take]]\nis no take.")
        #expect(takes.allSatisfy { $0.outputs[0].tags[.title] == "A [[take]] of ours" })
        #expect(takes[2].prompt == "Say, \"no\".")
    }

    @Test("A doubled percent sign or brace in the name of a file is one, and no placeholder")
    func escapedNames() async throws {
        let (plan, mistakes) = try await read(
            """
            [[take]]
            output = "DIR/100%%-{{n}-{n}.wav"
            duration = 1
            count = 2
            """, "toml")
        let names = plan.rows.flatMap(\.takes).flatMap(\.paths).map { $0.split(separator: "/").last }
        #expect(mistakes == [] && names == ["100%-{n}-001.wav", "100%-{n}-002.wav"])
    }

    @Test func rowOverridesCommandLineOverridesManifestOverridesUser() async throws {
        let text = """
            [defaults]
            rate = 11025
            encoding = "s24"
            device = "ours"
            [[take]]
            output = "DIR/a.wav"
            duration = 1
            rate = 8000
            follow-default = true
            """
        let keys = try Self.keys.get()
        func setting(_ name: String, _ value: String, _ origin: Setting.Origin) throws -> Setting {
            Setting(option: try #require(keys.option(name)), value: value, origin: origin)
        }
        let user = Setting.Origin.file(SettingsText.Place(path: "c.toml", line: 1))
        let (plan, mistakes) = try await read(
            text, "toml",
            effective: [
                setting("rate", "44100", .commandLine), setting("encoding", "s32", .commandLine),
                setting("encoding", "f32", user), setting("channels", "2", user),
            ])
        #expect(mistakes == [])
        let take = try #require(plan.rows.first?.takes.first)
        #expect(take.configuration.sampleRate == 8_000 && take.configuration.channelCount == 2)
        #expect(take.outputs[0].format.encoding == .given(.s32))
        // Conflicts with the row are dropped.
        #expect(take.configuration.input == .source(nil) && take.configuration.interruptions.followsDefault)
    }

    @Test("A row is read as it would be alone, whatever the rows before it have set")
    func rowsAreIndependent() async throws {
        // What a row has of its own is decoded without the option parser, where a row before it had the same other
        // options.
        let rows = [
            ["output": "DIR/1.wav", "duration": "5"],
            ["output": "DIR/2.wav", "max": "1:30", "title": "Two", "tag": "mood=calm"],
            ["output": "DIR/3.wav,rate=16000,bwf=yes", "duration": "5"],
            ["output": "DIR/4.flac,compression=8", "duration": "0.5", "artist": "-a", "album": "", "comment": "a=b"],
            ["output": "DIR/5.wav", "duration": "5", "channels": "2", "date": "2026"],
            ["output": "DIR/6.wav", "duration": "7", "channels": "2"],
            ["output": "DIR/7.opus", "duration": "7", "channels": "2"],
            ["output": "DIR/8.opus", "duration": "7", "rate": "44100"],
            ["output": "DIR/9.wav", "duration": "0"],
            ["output": "DIR/10.xyz", "duration": "7"],
            ["output": "DIR/11.wav", "duration": "7", "tag": "=x"],
        ]
        func text(_ row: [String: String]) -> String {
            "[[take]]\n" + row.sorted { $0.key < $1.key }.map { "\($0) = '\($1)'\n" }.joined()
        }
        var random = SplitMix64(seed: 1)
        for _ in 1...3 {
            let shuffled = rows.shuffled(using: &random)
            let valid = try await TemporaryDirectory.with { directory in
                let file = directory.appending(path: "m.toml")
                func read(_ rows: [[String: String]]) throws -> (takes: [String], mistakes: [String]) {
                    let text = rows.map(text).joined().replacing("DIR", with: directory.path)
                    try Data(text.utf8).write(to: file)
                    let (plan, mistakes) = try self.read(file)
                    let takes = plan.rows.flatMap(\.takes).map {
                        "\($0.configuration) \($0.outputs) \($0.duration ?? 0)"
                    }
                    return (takes, mistakes.map { String($0.drop { $0.isNumber || $0 == ":" }) })
                }
                let together = try read(shuffled)
                let alone = try shuffled.map { try read([$0]) }
                #expect(together.takes == alone.flatMap(\.takes))
                #expect(together.mistakes == alone.flatMap(\.mistakes))
                return together.takes.count
            }
            #expect(valid == 7)
        }
    }

    @Test("Limits of a check are the same as a table, as text, and as an object")
    func checks() async throws {
        let texts = [
            (
                "toml",
                """
                [defaults]
                check = true
                [[take]]
                output = "DIR/a.wav"
                duration = 1
                check = { loudness = "-23±1", min-distance = 30, ignore = ["identical", "gap"] }
                [[take]]
                output = "DIR/b.wav"
                duration = 1
                [[take]]
                output = "DIR/c.wav"
                duration = 1
                check = false
                """
            ),
            (
                "csv",
                """
                output,duration,check
                DIR/a.wav,1,"loudness=-23±1; min-distance = 30; ignore=identical,gap"
                DIR/b.wav,1,true
                DIR/c.wav,1,
                """
            ),
            (
                "jsonl",
                """
                {"output":"DIR/a.wav","duration":1,"check":{"loudness":"-23±1","min-distance":30,"ignore":"identical,gap"}}
                {"output":"DIR/b.wav","duration":1,"check":true}
                {"output":"DIR/c.wav","duration":1,"check":false}
                """
            ),
        ]
        for (kind, text) in texts {
            let (plan, mistakes) = try await read(text, kind)
            let checks = plan.rows.flatMap(\.takes).map(\.check)
            #expect(mistakes == [] && checks.count == 3, "\(kind)")
            let first = try #require(checks.first ?? nil)
            #expect(first.loudness?.target == -23 && first.loudness?.tolerance == 1 && first.minDistance == 30)
            #expect(first.ignore == ["identical", "gap"])
            #expect(checks[1]?.ignore == [] && checks[2] == nil, "\(kind)")
        }
    }

    private static let row = "output = \"DIR/a.wav\"\nduration = 1\n"
    private static let mistakesOfTOML: [(text: String, mistakes: [String])] = [
        ("[[take]]\n\(row)rat = 1", ["4: unknown key 'rat'. Did you mean 'rate'?"]),
        ("[[take]]\n\(row)rate = true", ["4: 'rate' must be a number or text"]),
        ("[[take]]\n\(row)force = 1", ["4: 'force' must be true or false"]),
        ("[[take]]\n\(row)split-every = 1", ["4: 'split-every' cannot be set for one take of a batch"]),
        ("[[take]]\n\(row)count = 2", ["1: 'DIR/a.wav' names one file for 2 takes: put {n} into the name"]),
        (
            "[[take]]\noutput = \"DIR/%%.wav\"\nduration = 1\ncount = 2",
            ["1: 'DIR/%%.wav' names one file for 2 takes: put {n} into the name"]
        ),
        ("[[take]]\n\(row)count = 1000000000000", ["4: 'count' must be a whole number from 1 to 10000"]),
        ("[[take]]\n\(row)pause = -1", ["4: 'pause' must be a length of time, such as 2.5, 90s or 5m"]),
        ("[[take]]\n\(row)start = 2026-11-21", ["4: the value of 'start' has the wrong type"]),
        ("[[take]]\n\(row)start = \"25:00\"", ["4: 'start' must be a time, such as 18:30 or 2026-11-21T18:30"]),
        ("[[take]]\n\(row)tags = 1", ["4: 'tags' must be a table of text values"]),
        ("[[take]]\n\(row)check = 1", ["4: 'check' must be true, false or a table of limits"]),
        ("[[take]]\n\(row)check = \"quiet\"", ["4: 'check': 'quiet' has no value"]),
        ("[[take]]\n\(row)check = { min-distanc = 3 }", ["4: 'check': unknown option 'min-distanc'"]),
        (
            "[[take]]\n\(row)check = \"ignore=hummm\"",
            ["4: 'check': the value 'hummm' is invalid for 'ignore <kinds>': no kind of findings 'hummm'"]
        ),
        (
            "[[take]]\noutput = \"DIR/a.raw\"\nduration = 1\ncheck = true",
            ["1: raw samples cannot be checked. Leave out 'check', or add another file"]
        ),
        (
            "[[take]]\noutput = \"DIR/a.wav\"",
            ["1: 'duration' is missing. --max sets it for all rows; with --prompt, a key ends each take"]
        ),
        (
            "[[take]]\nduration = 1\n\n[[take]]\nduration = 2",
            ["1: 'output' is missing (the file to record to) (and on line 4)"]
        ),
        (
            String(repeating: "[[take]]\nduration = 1\n", count: 30),
            ["1: 'output' is missing (the file to record to) (and on 29 more lines)"]
        ),
        (
            String(repeating: "[[take]]\nduration = 1\n", count: 4),
            ["1: 'output' is missing (the file to record to) (and on lines 3, 5, 7)"]
        ),
        (
            String(repeating: "[[take]]\nduration = 1\n", count: 5),
            ["1: 'output' is missing (the file to record to) (and on 4 more lines)"]
        ),
        ("[[take]]\nduration = 1", ["1: 'output' is missing (the file to record to)"]),
        (
            "[[take]]\noutput = \"DIR/%H.wav\"\nduration = 1",
            [
                "1: 'DIR/%H.wav' is only known during the recording: of all "
                    + "placeholders, a batch has {n} only"
            ]
        ),
        (
            "[[take]]\n\(row)[[take]]\n\(row)",
            [
                "4: it records to 'DIR/a.wav', but line 1 does too"
            ]
        ),
        ("[[take]]\n\(row)[[take]]\noutput = \"DIR/../\" \nduration = 1", ["5: 'DIR/../' is a directory"]),
        (
            "[[take]]\noutput = [\"DIR/a.wav\", \"DIR/./a.wav\"]\nduration = 1",
            ["1: it records to 'DIR/./a.wav', but this row names it twice"]
        ),
        (
            "[[take]]\noutput = \"DIR/x/a.wav\"\nduration = 1",
            ["1: there is no directory 'DIR/x'. Use --mkdir"]
        ),
        ("[[take]]\noutput = \"DIR/a.opus\"\nduration = 1\nrate = 44100", ["1: cannot write 44100 Hz as opus"]),
        ("[[take]]\noutput = \"-\"\nduration = 1", ["to standard output"]),
        ("[[takes]]\n\(row)", ["1: unknown key 'takes'. Did you mean 'take'?"]),
        ("take = 1", ["1: takes must be an array of tables: [[take]]"]),
        ("defaults = 1\n[[take]]\n\(row)", ["1: 'defaults' must be a table: [defaults]"]),
        ("[defaults]\nrate = 1\n[[take]]\n\(row)", ["2: the value '1' is invalid for 'rate <hertz>'"]),
        (
            "[[take]]\n\(row)tags = [\n\(String(repeating: "1,\n", count: 20_000))]",
            ["4: 'tags' must be a table of text values"]
        ),
        (
            "[[take]]\nduration = 1\noutput = [\n\(String(repeating: "'a.wav',\n", count: 101))]",
            ["3: 'output' has 101 elements, more than 100"]
        ),
        ("[[take]]\noutput = \"DIR/a\\u0000.wav\"\nduration = 1", ["2: 'output' contains a NUL character"]),
        ("take = [{ output = \"DIR/a.wav\", duration = 1 }, 7]", ["1: takes must be an array of tables: [[take]]"]),
        ("[[take]]\n\(row)\n[[take]\n", ["5: column 7: expected ']]' after the name of the table"]),
        ("", ["it lists no takes"]),
    ]

    @Test func mistakesAreReportedWithTheirLines() async throws {
        for (text, expected) in Self.mistakesOfTOML {
            try await TemporaryDirectory.with { directory in
                let file = directory.appending(path: "m.toml")
                try Data(text.replacing("DIR", with: directory.path).utf8).write(to: file)
                let messages = try read(file).mistakes.map { $0.replacing(directory.path, with: "DIR") }
                #expect(messages.count == expected.count, "\(text): \(messages)")
                for (message, expected) in zip(messages, expected) { #expect(message.contains(expected), "\(text)") }
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["m.toml"])
            }
        }
    }

    @Test func allMistakesAreReportedTogether() async throws {
        let csv = """
            output,duration,rate,channels
            DIR/a.wav,x,1,300
            DIR/b.wav,1,48000,2
            DIR/./b.wav,1,48000,2
            DIR/c.wav,1
            """
        #expect(try await read(csv, "csv").mistakes.map { $0.prefix { $0 != ":" } } == ["2", "2", "2", "4", "5"])
        let many = "output,duration\n" + (1...1_000).map { "DIR/a.wav,x\($0)\n" }.joined()
        #expect(try await read(many, "csv").mistakes.count == FileMistakes.maximumCount)
        let one = "output,duration\n" + String(repeating: "DIR/a.wav,x\n", count: 1_000)
        let mistakes = try await read(one, "csv").mistakes
        #expect(mistakes.count == 1 && mistakes[0].hasSuffix("(and on 99 more lines at least)"), "\(mistakes)")
    }

    @Test func wrongColumnIsReportedOnce() async throws {
        let (plan, mistakes) = try await read("file,duration,rate,rate\na.wav,1,1,1\nb.wav,1,1,1\n", "csv")
        #expect(plan.takeCount == 0)
        #expect(mistakes.count == 3 && mistakes.allSatisfy { $0.hasPrefix("1: ") }, "\(mistakes)")
        #expect(mistakes.last == "1: no column 'output'")
    }

    @Test(arguments: [
        ("{\"output\":\"DIR/a.wav\",\"duration\":1}\n[1]", 2, "not a JSON object"),
        ("{\"output\"", 1, "not a JSON object"),
        ("{\"output\":\"DIR/a.wav\",\"duration\":1e999}", 1, "out of range"),
        ("{\"output\":\"DIR/a.wav\",\"duration\":{\"s\":1}}", 1, "'duration' must be a number or text"),
        ("{\"output\":\"DIR/a.wav\",\"output\":\"DIR/b.wav\",\"duration\":1}", 1, "a key appears twice"),
        ("{\"output\":\"DIR/a.wav\",\"duration\":1,\"tags\":{\"a\":\"1\",\"a\":\"2\"}}", 1, "a key appears twice"),
        ("{\"output\":\"\\ud800.wav\",\"duration\":1}", 1, "not a JSON object"),
        ("\n{\"output\":\"DIR/a\\u0000.wav\",\"duration\":1}", 2, "'output' contains a NUL character"),
        ("{\"output\":\"DIR/a.wav\",\"duration\":1\(String(repeating: "0", count: 60_000))}", 1, "out of range"),
        ("{\"a\":\(String(repeating: "{\"a\":", count: 10_000))", 1, "not a JSON object"),
        (String(repeating: "[", count: 30_000), 1, "not a JSON object"),
        ("null", 1, "a take looks like {"),
        ("{\"output\":[],\"duration\":1}", 1, "'output' is missing"),
        ("{\"output\":\"a.wav\",\"duration\":01}", 1, "'01' is not a value; quote text (column 30)"),
        ("{\"output\":\"a.wav\",\"duration\":5.}", 1, "'5.' is not a value"),
        ("{\"output\":\"é.wav\",\"title\":\"a\tb\"}", 1, "must be escaped: \\t, \\u0009 (column 29)"),
        ("{\"output\":\"a\\q.wav\"}", 1, "unknown escape. Write a backslash as \\\\. (column 13)"),
        ("{\"output\":\"\\ude00\"}", 1, "half a surrogate pair (column 12)"),
        ("{\"output\":\"a.wav\",\"duration\":1,}", 1, "expected a key in quotes (column 32)"),
        ("{\"output\":\"a.wav\",\"select\":[1,],\"duration\":1}", 1, "expected a value (column 31)"),
        ("{\"output\":\"a.wav\",\"duration\":1,\"tags\":{\"a\":null}}", 1, "null has no meaning in it (column 39)"),
        ("{\"output\":\"a.wav\",\"duration\":1} {}", 1, "something follows the object (column 33)"),
        ("{\"output\":\"a.wav\"", 1, "expected ',' or '}' (column 18)"),
    ])
    func invalidJSONLinesAreReported(text: String, line: Int, message: String) async throws {
        let mistakes = try await read(text, "jsonl").mistakes
        #expect(mistakes.count == 1)
        #expect(
            mistakes.first?.hasPrefix("\(line): ") == true && mistakes.first?.contains(message) == true, "\(mistakes)")
    }

    @Test("Escapes of JSON stand for their characters")
    func escapesInJSON() async throws {
        let text = #"{"output":"DIR/a.wav","duration":1e0,"comment":"\ud83c\udf99 \u00e9\/\n","follow-default":false}"#
        let (plan, mistakes) = try await read(text, "jsonl")
        #expect(mistakes == [])
        #expect(plan.rows.first?.takes.first?.outputs[0].tags[.comment] == "🎙 é/\n")
    }

    @Test("Columns that are separated by something else than commas", arguments: [";", "\t"])
    func otherSeparators(separator: String) async throws {
        let rows = [["output", "duration"], ["DIR/a.wav", "1"]]
        let mistakes = try await read(rows.map { $0.joined(separator: separator) }.joined(separator: "\n"), "csv")
            .mistakes
        #expect(mistakes.count == 1 && mistakes[0].hasSuffix("Separate them by commas."), "\(mistakes)")
    }

    @Test func quotesAndColonsInTextAreNotKeys() async throws {
        let text = #"{"output":"DIR/a.wav","duration":1,"comment":"\"a\":1, \\","tags":{"ab":"c:\\\""},"device":null}"#
        #expect(try await read(text, "jsonl").mistakes == [])
    }

    /// Each of these once took quadratic time or crashed the program.
    @Test(.timeLimit(.minutes(1))) func longManifestsAreReadInLinearTime() async throws {
        let row = "output,duration,tags\nDIR/a.wav,1,"
        let spaces = String(repeating: " ", count: 60_000)
        let nested = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
        let manifests: [(text: String, kind: String, mistakes: Int)] = [
            (String(repeating: "#\n", count: 250_000) + "[[take]]\n\(Self.row)", "toml", 0),
            ("[[take]]\n\(Self.row)select = [\n\(String(repeating: "1,\n", count: 250_000))]", "toml", 1),
            (String(repeating: "[[take]]\n", count: 100_000), "toml", 2),
            ("[[take]]\ncomment = \"\"\"\n\(String(repeating: "a\n", count: 250_000))", "toml", 1),
            // The tag is longer than WAV allows.
            (row + "a=b\(spaces)x;c=d", "csv", 1),
            (row + "\(spaces)a=b\(spaces.dropLast(10_000).prefix(9));\n", "csv", 0),
            (row + String(repeating: ";", count: 60_000), "csv", 0),
            (row + "\"" + (0..<6_000).map { "t\($0)=x" }.joined(separator: ";") + ";=\"", "csv", 1),
            ((0..<9_000).map { "c\($0)" }.joined(separator: ","), "csv", 20),
            ("output," + String(repeating: "x", count: 60_000), "csv", 1),
            (String(repeating: "{\"output\":1}\n", count: 100_000), "jsonl", 2),
            (String(repeating: "{\"a\":\(nested)}\n", count: 20), "jsonl", 1),
            ("output,duration,title\n" + (0..<30_000).map { "DIR/\($0).wav,2,Take \($0)\n" }.joined(), "csv", 0),
        ]
        for (text, kind, count) in manifests {
            let mistakes = try await read(text, kind).mistakes
            #expect(mistakes.count == count, "\(text.prefix(40)): \(mistakes.first?.prefix(200) ?? "")")
        }
    }

    @Test func binaryAndOverlongFilesAreRejected() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "m.csv")
            let head = Data("output,duration\n".utf8)
            let contents: [(Data, String)] = [
                (head + Data([0x61, 0xFF, 0x0A]), "2: it is not UTF-8 text"),
                (head + Data([0x61, 0x00, 0x0A]), "2: it contains a NUL character"),
                (head + Data(repeating: 0x61, count: 1 << 20), "2: the line has 1048576 bytes, more than 65536"),
                (
                    Data(repeating: 0x0A, count: Manifest.longest + 1),
                    " it is longer than 34 MB. Split it into several manifests."
                ),
            ]
            for (content, message) in contents {
                try content.write(to: file)
                #expect(try read(file).mistakes == [message])
            }
            let link = directory.appending(path: "l.csv")
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "l.csv")
            #expect(try read(link).mistakes.first?.contains("Too many levels of symbolic links") == true)
            #expect(
                try read(directory.appending(path: "m.txt")).mistakes.first?.contains("unknown kind of manifest")
                    == true)
            #expect(try read(directory.appending(path: "n.csv")).mistakes.first?.contains("No such file") == true)
        }
    }

    @Test func existingFilesAreAllowedInAContinuedBatch() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "m.csv")
            let old = directory.appending(path: "old.wav")
            try Data("old".utf8).write(to: old)
            try Data("output,duration\n\(old.path),1\n".utf8).write(to: file)
            #expect(try read(file).mistakes.first?.contains("exists already") == true)
            #expect(try read(file, isContinued: true).mistakes == [])
            // Not even a continued batch may overwrite its manifest.
            try Data("output,duration,format\n\(file.path),1,raw\n".utf8).write(to: file)
            #expect(try read(file, isContinued: true).mistakes.contains { $0.contains("the batch itself") })
        }
    }
}
