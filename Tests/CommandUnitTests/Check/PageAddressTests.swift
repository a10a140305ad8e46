import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

@Suite struct PageAddressTests {
    @Test("The address leads from the page to the file, with each special character as bytes")
    func addresses() async throws {
        try await TemporaryDirectory.with { directory in
            let folder = directory.appending(path: "a b/ä")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let names = ["x.wav", "#1?&%\"'<.wav", "javascript:alert(1)", "räk.flac"]
            for name in names { try Data().write(to: folder.appending(path: name)) }
            let root = directory.path
            func address(_ file: String, _ page: String) -> String? {
                PageAddress.relative(to: "\(root)/\(file)", fromPageAt: "\(root)/\(page)")
            }
            #expect(address("a b/ä/x.wav", "page.html") == "./a%20b/%C3%A4/x.wav")
            #expect(address("a b/ä/x.wav", "a b/ä/page.html") == "./x.wav")
            #expect(address("a b/ä/../ä/x.wav", "a b/page.html") == "./%C3%A4/x.wav")
            #expect(address("a b/ä/#1?&%\"'<.wav", "a b/ä/p") == "./%231%3F%26%25%22%27%3C.wav")
            #expect(address("a b/ä/javascript:alert(1)", "a b/ä/p") == "./javascript%3Aalert%281%29")
            try FileManager.default.createDirectory(atPath: "\(root)/c/d", withIntermediateDirectories: true)
            #expect(address("a b/ä/räk.flac", "c/d/p.html") == "../../a%20b/%C3%A4/r%C3%A4k.flac")
            #expect(address("none.wav", "page.html") == nil)
            #expect(address("a b/ä/x.wav", "none/page.html") == nil)
            // `..` begins where a linked folder really is.
            try FileManager.default.createSymbolicLink(atPath: "\(root)/link", withDestinationPath: "c/d")
            #expect(address("a b/ä/x.wav", "link/p.html") == "../../a%20b/%C3%A4/x.wav")
        }
    }

    @Test("A page in the current directory, or in the root, has a folder")
    func folders() throws {
        let path = PageAddress.relative(to: ".", fromPageAt: "page.html")
        #expect(path == ".")
        #expect(PageAddress.relative(to: "/dev/null", fromPageAt: "/page.html") == "./dev/null")
    }
}
