import Testing

@testable import ACCAudioRecorder

@Suite struct PlaybackMarkersTests {
    private static func made(_ markers: [(Double, String)]) -> PlaybackMarkers {
        PlaybackMarkers(markers.map { FileMarker(offset: .seconds($0), label: $1) })
    }

    private let markers = made([(20, "Verse 2"), (10, "Verse 1"), (20, "chorus"), (300, "End")])

    @Test(
        "The next marker lies behind the position; back is the one before that which has played less than two seconds",
        arguments: [
            (1, 0.0, 10), (2, 0, 20), (1, 10, 20), (1, 9.999_999, 20), (4, 0, 300), (9, 0, 300), (1, 300, nil),
            (-1, 25, 20), (-1, 22.1, 20), (-1, 21.9, 10), (-1, 10, 0), (-3, 400, 20), (-9, 400, 0), (-1, 0, 0),
        ] as [(Int, Double, Double?)])
    func isFound(count: Int, position: Double, expected: Double?) {
        #expect(markers.marker(count, from: .seconds(position))?.offset == expected.map { .seconds($0) })
    }

    @Test func neighboursAreNotPassedOver() {
        let close = Self.made([(1, "a"), (1.5, "b"), (2, "c")])
        #expect(
            close.marker(-1, from: .seconds(2))?.label == "b" && close.marker(-1, from: .seconds(1.9))?.label == "a")
    }

    @Test func isNamedByAUniquePart() {
        #expect(markers.named("verse").map(\.label) == ["Verse 1", "Verse 2"])
        #expect(markers.named("verse 2").map(\.offset) == [.seconds(20)])
        let verses = Self.made([(1, "Verse 2"), (2, "Verse"), (3, "Verse")])
        #expect(verses.named("Verse").map(\.offset) == [.seconds(2)])
        #expect(markers.named("End").map(\.offset) == [.seconds(300)] && markers.named("nosuch").isEmpty)
    }
}
