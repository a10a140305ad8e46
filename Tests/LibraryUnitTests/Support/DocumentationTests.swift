import Foundation
import TestSupport
import Testing

/// What the documentation has of the sources.
@Suite struct DocumentationTests {
    @Test("The format of JSON is documented with its type: what stands on an extension is in no documentation")
    func formatsOfJSON() throws {
        let sources = Project.file("Sources/ACCAudioRecorder")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            for (number, line) in lines.enumerated() where line.contains("/// In JSON a") {
                count += 1
                let next = lines[number...].first { !$0.contains("///") }
                #expect(next?.hasPrefix("extension") == false, "\(file.lastPathComponent)")
            }
        }
        #expect(count >= 15)
    }
}
