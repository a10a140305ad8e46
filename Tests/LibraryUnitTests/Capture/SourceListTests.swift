import Testing

@testable import ACCAudioRecorder

@Suite struct SourceListTests {
    private func list(_ sources: [AudioSource]) -> SourceList {
        SourceList(
            SourceSelection(sources: sources, defaultSinkName: nil), requested: nil, requestedByEnvironment: nil)
    }

    private let near = AudioSource.made("near", isDefault: true, index: 1)
    private let far = AudioSource.made("far", index: 2)

    @Test("D-07: equal lists have no changes")
    func findsNoChangesInEqualLists() {
        #expect(list([near, far]).changes(since: list([near, far])).isEmpty)
        #expect(list([]).changes(since: list([])).isEmpty)
    }

    @Test("D-07: the changes between two lists")
    func findsChanges() throws {
        let muted = AudioSource.made("far", index: 2, isMuted: true)
        let again = AudioSource.made("near", isDefault: true, index: 3)
        let changes = list([muted, again]).changes(since: list([near, far]))
        // The default has the same name, but the choice is a different source.
        let choice = SourceChoice(source: again, reason: .serverDefault)
        #expect(
            changes == [.removed(near), .added(again), .changed(muted, from: far), .choiceChanged(.success(choice))])
    }

    @Test("D-07: a new default is a single change, and does not change the sources")
    func reportsANewDefault() {
        let (plain, standard) = (AudioSource.made("near", index: 1), AudioSource.made("far", isDefault: true, index: 2))
        let changes = list([plain, standard]).changes(since: list([near, far]))
        #expect(
            changes == [
                .defaultChanged(standard),
                .choiceChanged(.success(SourceChoice(source: standard, reason: .serverDefault))),
            ])
    }

    @Test("D-07: the last source is removed")
    func reportsThatNothingIsLeft() throws {
        let changes = list([]).changes(since: list([near]))
        #expect(changes.count == 3 && changes.starts(with: [.removed(near), .defaultChanged(nil)]))
        guard case .choiceChanged(.failure(let error)) = changes.last else { throw Unexpected() }
        #expect(error.failure?.reason == .noMicrophone)
    }

    private struct Unexpected: Error {}
}
