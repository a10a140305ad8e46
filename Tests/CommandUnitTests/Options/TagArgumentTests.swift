import Testing

@testable import AccrecCommands

@Suite struct TagArgumentTests {
    @Test(arguments: [
        ("genre=Interview", "genre", "Interview"), ("GENRE=x=y", "genre", "x=y"), ("MOOD=calm", "MOOD", "calm"),
        ("TAKE-NO_2=", "TAKE-NO_2", ""),
    ])
    func readsKeyAndText(argument: String, key: String, text: String) throws {
        let tag = try MetadataOptions.Tag(argument)
        #expect(tag.key == key && tag.text == text && (tag.tag != nil) == (key == "genre"))
    }

    @Test(arguments: ["", "genre", "=x", "two words=x", "1st=x", "ä=x"])
    func rejectsInvalidTags(argument: String) {
        #expect(throws: (any Error).self) { try MetadataOptions.Tag(argument) }
    }
}
