import Testing

@testable import ACCAudioRecorder

@Suite struct NearestWordTests {
    private static let words = ["record", "devices", "help", "s16", "s24", "f32", "voice-chat"]

    @Test(arguments: [
        ("recrod", "record"), ("rec", "record"), ("re", nil), ("device", "devices"), ("s16le", "s16"), ("s1", "s16"),
        ("no-help", "help"), ("precord", "record"), ("pricord", nil), ("kelp", "help"), ("kemp", nil), ("hump", nil),
        ("hlep", "help"), ("s17", "s16"), ("S16", "s16"),
        ("voicechat", "voice-chat"), ("xyzzy", nil), ("", nil),
        (String(repeating: "record", count: 100_000), nil),
    ])
    func findsTheIntendedWord(word: String, nearest: String?) {
        #expect(NearestWord.to(word, among: Self.words) == nearest)
    }
}
