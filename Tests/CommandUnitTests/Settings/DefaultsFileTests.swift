import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// Settings of a configuration file.
@Suite struct DefaultsFileTests {
    @Test(
        "Each element of an array is a setting of its own for an option that may be repeated, and a part of one otherwise"
    )
    func arraysAreSettings() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "config.toml")
            try Data("tag = [\"mood=calm\", \"room=a,b\"]\nchannel-map = [\"aux0\", \"aux1\"]\n".utf8).write(to: file)
            let options = try DefaultsFile.Options(RecordingOptions.self, of: RecordCommandOptions.self)
            let settings = try DefaultsFile(path: file.path, options: options).settings(profile: nil)
            #expect(settings.flatMap(\.arguments) == ["--tag=mood=calm", "--tag=room=a,b", "--channel-map=aux0,aux1"])
            let tags = try RecordingOptions.parse(settings.flatMap(\.arguments)).shared.metadata.tag
            #expect(tags.map(\.key) == ["mood", "room"] && tags.map(\.text) == ["calm", "a,b"])
        }
    }
}
