import Glibc
import Testing

@testable import ACCAudioRecorder

@Suite struct FilePatternTests {
    private func path(_ template: String, number: Int = 7) throws -> String {
        try FilePattern(template).path(
            at: WallClock(hostTime: MonotonicClock.now()), source: .made("alsa_input.usb/x y"), mode: .voiceChat,
            number: number)
    }

    @Test func fillsIn() throws {
        #expect(try path("{device}/{mode}-{n}.wav") == "alsa_input.usb_x_y/voice-chat-007.wav")
        #expect(try path("{n}", number: 1_234) == "1234")
        #expect(try path("100%%.wav") == "100%.wav")
        #expect(try path("") == "")
        // Milliseconds and microseconds of the same second.
        let digits = try path("{ms} {us}").split(separator: " ")
        #expect(digits.map(\.count) == [3, 6] && digits[1].hasPrefix(digits[0]))
    }

    @Test("The time is local, and of the moment that is given")
    func fillsInTheTime() throws {
        let time = WallClock(hostTime: MonotonicClock.now())
        let path = try FilePattern("%Y-%m-%d %H:%M:%S.wav").path(
            at: time, source: .made("x"), mode: .default, number: 1)
        let begin = BroadcastTime(start: time, frame: 0, rate: 1_000_000)
        #expect(path == "\(begin.date) \(begin.time).wav")
    }

    @Test(arguments: ["{device", "%", "%Q.wav", "take-{N}.wav", "{}", "a%/b"])
    func refusesOrLeavesWhatStandsForNothing(template: String) throws {
        guard template != "{device" else {
            #expect(try path(template) == template)
            return
        }
        let error = #expect(throws: ACCAudioRecorderError.self) { try FilePattern(template) }
        #expect(error?.failure?.reason == .invalidFormat)
    }

    @Test(arguments: [
        ("a/b/%Y/{n}.wav", "a/b"), ("%Y.wav", "."), ("/{n}.wav", "/"), ("x-{n}.wav", "."), ("/a/b.wav", "/a"),
    ])
    func knowsTheDirectoryOfAllFiles(template: String, directory: String) throws {
        #expect(try FilePattern(template).directory == directory)
    }

    @Test(arguments: [("a.wav", false), ("{n}.wav", true), ("{typo}.wav", true), ("%H.wav", true), ("{1}.wav", false)])
    func isToldFromAName(path: String, isPattern: Bool) {
        #expect(FilePattern.isPattern(path) == isPattern)
    }
}
