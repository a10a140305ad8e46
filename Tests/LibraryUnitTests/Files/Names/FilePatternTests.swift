import Glibc
import Testing

@testable import ACCAudioRecorder

@Suite struct FilePatternTests {
    private func path(_ template: String, number: Int = 7) throws -> String {
        try FilePattern(template).path(
            at: WallClock(hostTime: MonotonicClock.now()), sourceName: "alsa_input.usb/x y", modeName: "voiceChat",
            number: number)
    }

    @Test func fillsInPlaceholders() throws {
        #expect(try path("{device}/{mode}-{n}.wav") == "alsa_input.usb_x_y/voice-chat-007.wav")
        #expect(try path("{n}", number: 1_234) == "1234")
        #expect(try path("100%%.wav") == "100%.wav")
        #expect(try path("") == "")
        #expect(try path("%02d%-d%5Y%Ey").utf8.count >= 10)
        // Whatever the length of the result.
        #expect(try path(String(repeating: "%99Y", count: 100)).utf8.count == 9_900)
        // Milliseconds and microseconds of the same second.
        let digits = try path("{ms} {us}").split(separator: " ")
        #expect(digits.map(\.count) == [3, 6] && digits[1].hasPrefix(digits[0]))
    }

    @Test(
        "What is escaped has no placeholder, whatever it contains",
        arguments: ["a.wav", "100%d/{n}{ms}.wav", "{", "{{n}}", "%%", "%{%}", "{device"])
    func escapedPaths(plain: String) throws {
        let template = FilePattern.escaped(plain)
        #expect(try path(template) == plain && FilePattern(template).path(number: 1) == plain)
        #expect(try path(template + "-{n}") == plain + "-007" && FilePattern(template + "-{n}").hasNumber)
        #expect(try path("%%" + template) == "%" + plain)
    }

    @Test("A path needs no more than a number unless there are other placeholders")
    func numberedPaths() throws {
        #expect(try FilePattern("100%%-{n}.wav").path(number: 7) == "100%-007.wav")
        for template in ["%%%d-{n}.wav", "{n}{ms}", "{device}", "{utc:%H}"] {
            #expect(try FilePattern(template).path(number: 7) == nil, "\(template)")
        }
    }

    @Test(
        "A source's name creates no directory or hidden file, and contributes no control characters",
        arguments: [
            ("a/\u{301}b", "a_\u{301}b"), ("\u{1B}[2Jx", "_[2Jx"), ("..\u{301}/x", "_.\u{301}_x"),
            ("a\u{202E}b\u{85}c", "a_b_c"),
            ("a\nb\u{2028}c\u{A0}d", "a_b_c_d"), ("Mic é 日本", "Mic_é_日本"),
        ])
    func namesOfSourcesAreMadeSafe(name: String, safe: String) throws {
        let path = try FilePattern("{device}").path(
            at: WallClock(hostTime: MonotonicClock.now()), sourceName: name, modeName: "default", number: 1)
        #expect(Array(path.unicodeScalars) == Array(safe.unicodeScalars))
    }

    @Test("A file that begins with a second is named after it, however exactly the clocks can be read together")
    func beginsWithASecond() throws {
        let second = WallClock.nextMultiple(of: 1, after: MonotonicClock.now())
        let names = try [-400, 0, 400].map { offset in
            try FilePattern("%S {us}").path(
                at: WallClock(hostTime: UInt64(Int64(second) + offset)), sourceName: "", modeName: "", number: 1)
        }
        #expect(Set(names.map { $0.prefix(2) }).count == 1 && names[0].hasSuffix(" 000000"), "\(names)")
    }

    @Test("The time is local, and that of the given moment")
    func fillsInTheTime() throws {
        let time = WallClock(hostTime: MonotonicClock.now())
        let path = try FilePattern("%Y-%m-%d %H:%M:%S.wav").path(
            at: time, sourceName: "x", modeName: "default", number: 1)
        let begin = BroadcastExtension.Time(start: time, frame: 0, rate: 1_000_000)
        #expect(path == "\(begin.date) \(begin.time).wav")
    }

    @Test(arguments: [
        "{device", "%", "%Q.wav", "take-{N}.wav", "{}", "a%/b", "%9999Y", "%100d.wav", "%999999999c", "%-0400H",
        "{utc}.wav", "{utc:}.wav", "{utc:now}.wav", "{utc:%Q}.wav", "{utc:%H{n}}.wav", "{utc:%s}.wav", "{UTC:%H}.wav",
    ])
    func rejectsOrKeepsUnknownPlaceholders(template: String) throws {
        guard template != "{device" else {
            #expect(try path(template) == template)
            return
        }
        let error = #expect(throws: ACCAudioRecorderError.self) { try FilePattern(template) }
        #expect(error?.failure?.reason == .invalidFormat)
    }

    @Test(arguments: [
        ("a/b/%Y/{n}.wav", "a/b"), ("a/{utc:%Y/%m}/x.wav", "a"), ("%Y.wav", "."), ("/{n}.wav", "/"), ("x-{n}.wav", "."),
        ("/a/b.wav", "/a"),
    ])
    func knowsTheDirectoryOfAllFiles(template: String, directory: String) throws {
        #expect(try FilePattern(template).directory == directory)
    }

    @Test(arguments: [
        ("a.wav", false), ("{n}.wav", true), ("{typo}.wav", true), ("{utc:%H}.wav", true), ("%H.wav", true),
        ("{1}.wav", false),
    ])
    func isDistinguishedFromAName(path: String, isPattern: Bool) {
        #expect(FilePattern.isPattern(path) == isPattern)
    }
}
