import Testing

@testable import AccrecCommands

@Suite struct NearestWordTests {
    private static let words = ["record", "devices", "help", "s16", "s24", "f32", "voice-chat"]

    @Test(arguments: [
        ("recrod", "record"), ("rec", nil), ("device", "devices"), ("hlep", "help"), ("s17", "s16"), ("S16", "s16"),
        ("voicechat", "voice-chat"), ("xyzzy", nil), ("", nil),
    ])
    func isTheOneThatWasMeant(word: String, nearest: String?) {
        #expect(NearestWord.to(word, among: Self.words) == nearest)
    }
}
