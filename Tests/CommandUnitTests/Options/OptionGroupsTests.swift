import ArgumentParser
import Testing

@testable import AccrecCommands

/// An option of a recording works in every command that records and in the configuration file, except for those named
/// here.
// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct OptionGroupsTests {
    /// A take of a batch is one file for each output.
    private static let splitting: Set = [
        "split-every", "split-at-clock", "split-size", "keep-last", "keep-for", "keep-size",
    ]
    /// Of the batch, which records to files only, not of a take.
    private static let wholeBatch: Set = [
        "quiet", "progress", "history", "loudness", "color", "inhibit-sleep", "keep-going", "stdout-buffer",
        "stdout-overflow",
    ]

    private func names(_ type: any ParsableArguments.Type) throws -> Set<String> {
        Set(try OptionDefinition.all(of: type).map(\.name))
    }

    @Test func anOptionOfATakeWorksEverywhere() throws {
        // These may stand in the configuration file.
        let recording = try names(RecordingOptions.self)
        #expect(try recording.subtracting(names(RecordCommand.self)) == [])
        #expect(try recording.subtracting(names(BatchCommand.self)) == Self.splitting)
        let keys = try Manifest.Keys()
        #expect(recording.filter { keys.option($0) == nil } == Self.splitting.union(Self.wholeBatch))
    }

    @Test func rowsNameTheirOutputs() throws {
        let keys = try Manifest.Keys()
        let ofCommand: Set = ["auto-name", "align"]
        #expect(try Set(names(OutputOptions.self).filter { keys.option($0) == nil }) == ofCommand)
    }
}
