import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// What a batch makes of its manifest, and what it tells of mistakes.
@Suite struct ManifestTests {
    private static let keys = Result { try ManifestKeys() }

    /// The plan that a manifest makes, and what is told of it; output goes below the directory.
    private func read(
        _ text: String, _ kind: String, isPrompted: Bool = false, isContinued: Bool = false, inForce: [Setting] = []
    ) async throws -> (plan: BatchPlan, mistakes: [String]) {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "m.\(kind)")
            let content = text.replacing("DIR", with: directory.path)
            try Data(content.utf8).write(to: file)
            return try read(file, isPrompted: isPrompted, isContinued: isContinued, inForce: inForce)
        }
    }

    private func read(
        _ file: URL, isPrompted: Bool = false, isContinued: Bool = false, inForce: [Setting] = []
    ) throws -> (plan: BatchPlan, mistakes: [String]) {
        var mistakes = ManifestMistakes(path: file.path)
        let keys = try Self.keys.get()
        let manifest = Manifest(path: file.path, keys: keys, mistakes: &mistakes)
        let reader = RowReader(
            keys: keys, flags: [], isPrompted: isPrompted, defaults: manifest.defaults, inForce: inForce, &mistakes)
        let plan = BatchPlan(manifest, reader, isContinued: isContinued, own: [file.path], mistakes: &mistakes)
        let place = file.path + ":"
        return (plan, mistakes.isEmpty ? [] : mistakes.lines.dropLast().map { $0.replacing(place, with: "") })
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
    func eachFormatSaysTheSame(kind: String, text: String, lines: [Int]) async throws {
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
        #expect(takes[2].configuration.selectedChannels == [1, 2])
        #expect(takes[0].outputs[0].otherTags == ["mood": "calm", "room": "hall"])
        #expect(takes[0].outputs[0].tags[.comment] == "[[take]]\nis no take.")
        #expect(takes.allSatisfy { $0.outputs[0].tags[.title] == "A [[take]] of ours" })
        #expect(takes[2].prompt == "Say, \"no\".")
    }

    @Test func aRowGoesBeforeTheCommandLineBeforeTheManifestBeforeTheUser() async throws {
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
        let user = Setting.Origin.file(FilePlace(path: "c.toml", line: 1))
        let (plan, mistakes) = try await read(
            text, "toml",
            inForce: [
                setting("rate", "44100", .commandLine), setting("encoding", "s32", .commandLine),
                setting("encoding", "f32", user), setting("channels", "2", user),
            ])
        #expect(mistakes == [])
        let take = try #require(plan.rows.first?.takes.first)
        #expect(take.configuration.sampleRate == 8_000 && take.configuration.channelCount == 2)
        #expect(take.outputs[0].encoding == .s32)
        // What the row excludes gives way.
        #expect(take.configuration.sourceName == nil && take.configuration.interruptions.followsDefault)
    }

    private static let row = "output = \"DIR/a.wav\"\nduration = 1\n"
    private static let mistakesOfTOML: [(text: String, mistakes: [String])] = [
        ("[[take]]\n\(row)rat = 1", ["4: there is no key 'rat'. Did you mean 'rate'?"]),
        ("[[take]]\n\(row)rate = true", ["4: 'rate' takes a number or a text"]),
        ("[[take]]\n\(row)force = 1", ["4: 'force' is true or false"]),
        ("[[take]]\n\(row)split-every = 1", ["4: 'split-every' is for no single take of a batch"]),
        ("[[take]]\n\(row)count = 2", ["1: 'DIR/a.wav' is one file for 2 takes: put '{n}' into its name"]),
        ("[[take]]\n\(row)count = 1000000000000", ["4: 'count' takes a whole number from 1 to 10000"]),
        ("[[take]]\n\(row)pause = -1", ["4: 'pause' takes a length of time, such as 2.5, 90s or 5m"]),
        ("[[take]]\n\(row)start = 2026-11-21", ["4: 'start' has a value that no key takes"]),
        ("[[take]]\n\(row)start = \"25:00\"", ["4: 'start' takes a time, such as 18:30 or 2026-11-21T18:30"]),
        ("[[take]]\n\(row)tags = 1", ["4: 'tags' takes a table of texts"]),
        ("[[take]]\noutput = \"DIR/a.wav\"", ["1: a take needs 'duration', unless somebody ends it (prompt)"]),
        ("[[take]]\nduration = 1", ["1: a take needs 'output', which names its file"]),
        (
            "[[take]]\noutput = \"DIR/%H.wav\"\nduration = 1",
            [
                "1: 'DIR/%H.wav' is not known before the take: of all that "
                    + "is filled in, a batch has '{n}' only"
            ]
        ),
        (
            "[[take]]\n\(row)[[take]]\n\(row)",
            [
                "4: it records to 'DIR/a.wav', but line 1 does, too"
            ]
        ),
        ("[[take]]\n\(row)[[take]]\noutput = \"DIR/../\" \nduration = 1", ["5: cannot tell the format"]),
        (
            "[[take]]\noutput = [\"DIR/a.wav\", \"DIR/./a.wav\"]\nduration = 1",
            ["1: it records to 'DIR/./a.wav', but this row names it twice"]
        ),
        ("[[take]]\noutput = \"DIR/x/a.wav\"\nduration = 1", ["1: cannot create 'DIR/x/a.wav': the directory"]),
        ("[[take]]\noutput = \"DIR/a.opus\"\nduration = 1\nrate = 44100", ["1: cannot write 44100 Hz as opus"]),
        ("[[take]]\noutput = \"-\"\nduration = 1", ["to standard output"]),
        ("[[takes]]\n\(row)", ["1: 'takes' is none of its keys. Did you mean 'take'?"]),
        ("take = 1", ["1: takes are tables of an array: [[take]]"]),
        ("defaults = 1\n[[take]]\n\(row)", ["1: defaults are a table: [defaults]"]),
        ("[defaults]\nrate = 1\n[[take]]\n\(row)", ["2: The value '1' is invalid for 'rate <hertz>'"]),
        ("[[take]]\n\(row)\n[[take]\n", ["5: Error while parsing table header"]),
        ("", ["it lists no takes"]),
    ]

    @Test func aMistakeIsToldWithItsLine() async throws {
        for (text, expected) in Self.mistakesOfTOML {
            try await TemporaryDirectory.with { directory in
                let file = directory.appending(path: "m.toml")
                try Data(text.replacing("DIR", with: directory.path).utf8).write(to: file)
                let told = try read(file).mistakes.map { $0.replacing(directory.path, with: "DIR") }
                #expect(told.count == expected.count, "\(text): \(told)")
                for (told, expected) in zip(told, expected) { #expect(told.contains(expected), "\(text)") }
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["m.toml"])
            }
        }
    }

    @Test func allMistakesAreToldAtOnce() async throws {
        let csv = """
            output,duration,rate,channels
            DIR/a.wav,x,1,300
            DIR/b.wav,1,48000,2
            DIR/./b.wav,1,48000,2
            DIR/c.wav,1
            """
        #expect(try await read(csv, "csv").mistakes.map { $0.prefix { $0 != ":" } } == ["2", "2", "2", "4", "5"])
        let many = "output,duration\n" + String(repeating: "DIR/a.wav,x\n", count: 1_000)
        #expect(try await read(many, "csv").mistakes.count == ManifestMistakes.most)
    }

    @Test func aColumnIsWrongOnce() async throws {
        let (plan, mistakes) = try await read("file,duration,rate,rate\na.wav,1,1,1\nb.wav,1,1,1\n", "csv")
        #expect(plan.takeCount == 0)
        #expect(mistakes.count == 3 && mistakes.allSatisfy { $0.hasPrefix("1: ") }, "\(mistakes)")
        #expect(mistakes.last == "1: the column 'output' is missing")
    }

    @Test(arguments: [
        ("{\"output\":\"DIR/a.wav\",\"duration\":1}\n[1]", 2, "no object of JSON"),
        ("{\"output\"", 1, "no object of JSON"),
        ("{\"output\":\"DIR/a.wav\",\"duration\":1e999}", 1, "beyond all numbers"),
        ("{\"output\":\"DIR/a.wav\",\"duration\":{\"s\":1}}", 1, "'duration' takes a number or a text"),
        (String(repeating: "[", count: 30_000), 1, "no object of JSON"),
    ])
    func linesOfJSONThatAreNoneAreTold(text: String, line: Int, message: String) async throws {
        let mistakes = try await read(text, "jsonl").mistakes
        #expect(mistakes.count == 1)
        #expect(
            mistakes.first?.hasPrefix("\(line): ") == true && mistakes.first?.contains(message) == true, "\(mistakes)")
    }

    @Test func whatIsNoTextOrTooLongIsRefused() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "m.csv")
            let head = Data("output,duration\n".utf8)
            let contents: [(Data, String)] = [
                (head + Data([0x61, 0xFF, 0x0A]), "2: it is no text in UTF-8"),
                (head + Data([0x61, 0x00, 0x0A]), "2: it has a zero in it, which no text has"),
                (head + Data(repeating: 0x61, count: 1 << 20), "2: the line has 1048576 bytes, more than 65536"),
                (
                    Data(repeating: 0x0A, count: ManifestText.longest + 1),
                    " it is longer than 34 MB. Split it into several."
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
                try read(directory.appending(path: "m.txt")).mistakes.first?.contains("cannot tell what it is") == true)
            #expect(try read(directory.appending(path: "n.csv")).mistakes.first?.contains("No such file") == true)
        }
    }

    @Test func filesThatExistAreLeftToAContinuedBatch() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "m.csv")
            let old = directory.appending(path: "old.wav")
            try Data("old".utf8).write(to: old)
            try Data("output,duration\n\(old.path),1\n".utf8).write(to: file)
            #expect(try read(file).mistakes.first?.contains("it exists already") == true)
            #expect(try read(file, isContinued: true).mistakes == [])
            // Not even that may replace the manifest.
            try Data("output,duration,format\n\(file.path),1,raw\n".utf8).write(to: file)
            #expect(try read(file, isContinued: true).mistakes.contains { $0.contains("the batch itself") })
        }
    }
}
