import Testing

@testable import ACCAudioRecorder

@Suite struct ApplicationSelectionTests {
    private static func stream(
        _ index: UInt32, _ name: String?, _ binary: String?, process: Int?, _ title: String = ""
    ) -> ApplicationStream {
        ApplicationStream(
            index: index, owner: StreamOwner(name: name, binary: binary, processID: process.map(String.init)),
            title: title, sinkIndex: 0, isPaused: false, isMuted: false, volume: nil, sampleSpec: nil,
            resampleMethod: nil)
    }

    private static let interview = stream(1, "Firefox", "firefox-bin", process: 100, "Interview: part 1")
    private static let news = stream(2, "Firefox", "firefox-bin", process: 100, "News")
    private static let player = stream(3, "mpv", "mpv", process: 200, "Song - mpv")
    private static let firewall = stream(4, "Firewall alarm", "python3", process: 300, "beep")
    private static let all = ApplicationSelection(playing: [interview, news, player, firewall])

    private func indexes(_ requested: String) throws -> [UInt32]? {
        try Self.all.choice(requested: requested)?.streams.map(\.index)
    }

    @Test(
        "A-01: an application is found by its process, its name, a part of it, or a title",
        arguments: [
            ("Firefox", [1, 2]), ("firefox-bin", [1, 2]), ("refo", [1, 2]), ("100", [1, 2]), ("MPV", [3]), ("200", [3]),
            ("python3", [4]), ("firewall", [4]), ("Song", [3]), ("news", [2]), ("firefox:interview", [1]),
            ("Interview: part 1", [1]), ("firefox:Interview: part", [1]), ("mpv:song", [3]),
        ] as [(String, [UInt32])])
    func found(requested: String, expected: [UInt32]) throws {
        #expect(try indexes(requested) == expected)
    }

    @Test(arguments: ["vlc", "firefox:Song", "10", "", "firefox:beep"])
    func notFound(requested: String) throws {
        #expect(try indexes(requested) == nil)
    }

    @Test("A-01: an ambiguous name lists the candidates with their processes and titles")
    func ambiguous() throws {
        let error = #expect(throws: ACCAudioRecorderError.self) { try indexes("fire") }
        let failure = try #require(error?.failure)
        #expect(failure.reason == .ambiguousSource)
        #expect(failure.cause == "it matches 2 applications")
        #expect(
            failure.remedy
                == "Give a title, or the process ID of one of: 100 (Firefox, 'Interview: part 1', 'News'), "
                + "300 (Firewall alarm, 'beep').")
        let twice = ApplicationSelection(playing: [Self.player, Self.stream(9, "mpv", "mpv", process: 201)])
        #expect(throws: ACCAudioRecorderError.self) { try twice.choice(requested: "mpv") }
        // A recording that was waiting takes the one that began first.
        #expect(twice.firstChoice(requested: "mpv")?.streams.map(\.index) == [3])
    }

    @Test("A-01: a recording keeps to its process as long as that plays, then to its program, and to no other one")
    func continues() throws {
        let choice = try #require(try Self.all.choice(requested: "mpv"))
        let another = Self.stream(5, "mpv", "mpv", process: 201, "Other")
        let both = ApplicationSelection(playing: [another, Self.player, Self.firewall])
        #expect(both.choice(continuing: choice).streams.map(\.index) == [3])
        let ended = ApplicationSelection(playing: [another, Self.firewall]).choice(continuing: choice)
        #expect(ended.streams.map(\.index) == [5])
        // Something else with a matching name is not the application that was recorded.
        let similar = ApplicationSelection(playing: [Self.stream(6, "mpv", "mplayer", process: 7)])
        #expect(similar.choice(continuing: choice).streams.isEmpty)
        #expect(similar.choice(continuing: choice).owner == choice.owner)
    }

    @Test("A-01: a stream chosen by its title stays chosen when that changes")
    func titles() throws {
        let choice = try #require(try Self.all.choice(requested: "firefox:news"))
        let renamed = Self.stream(2, "Firefox", "firefox-bin", process: 100, "Weather")
        let more = Self.stream(7, "Firefox", "firefox-bin", process: 100, "More news")
        let next = ApplicationSelection(playing: [Self.interview, renamed, more]).choice(continuing: choice)
        #expect(next.streams.map(\.index) == [2, 7])
        let last = ApplicationSelection(playing: [Self.interview]).choice(continuing: next)
        #expect(last.streams.isEmpty)
    }

    @Test func aProcessMayNameItsStreamsDifferently() throws {
        let selection = ApplicationSelection(playing: [
            Self.stream(1, "Game", "wine", process: 5), Self.stream(2, "Game video", "wine", process: 5),
        ])
        #expect(try selection.choice(requested: "wine")?.streams.count == 2)
    }

    @Test func aMisspeltNameHasANearestOne() {
        #expect(Self.all.nearest(to: "fierfox") == "Firefox")
        #expect(Self.all.nearest(to: "spotify") == nil)
    }

    @Test("A-01: a call of the application that is recorded is told from others by its names")
    func calls() {
        let owner = StreamOwner(name: "Phone", binary: "phone", processID: "4")
        #expect(ApplicationSelection.matches(owner, requested: "phone"))
        #expect(ApplicationSelection.matches(owner, requested: "4"))
        #expect(ApplicationSelection.matches(owner, requested: "phone:Anna"))
        #expect(!ApplicationSelection.matches(owner, requested: "firefox"))
    }
}
