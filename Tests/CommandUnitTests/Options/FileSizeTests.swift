import Testing

@testable import AccrecCommands

@Suite struct FileSizeTests {
    @Test(arguments: [
        ("65536", 65_536), ("64K", 65_536), ("64k", 65_536), ("64KiB", 65_536), ("100kB", 100_000), ("1.5M", 1_572_864),
        ("650MB", 650_000_000), ("1G", 1 << 30), ("2TB", 2_000_000_000_000), ("70000B", 70_000),
    ])
    func readsSizes(text: String, bytes: Int) {
        #expect(FileSize(text)?.byteCount == bytes)
    }

    @Test(arguments: ["", "G", "1X", "-1G", "65535", "1 G", "1e9", "nan", "inf", "99999999999999T", "1..5G"])
    func rejectsInvalidSizes(text: String) {
        #expect(FileSize(text) == nil)
    }
}
