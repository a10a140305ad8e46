import TestSupport
import Testing

@Suite struct LinkTests {
    @Test func whatTheProgramDoesNotChangeIsReadOnly() async throws {
        let result = try await ChildProcess.run(["readelf", "--wide", "-ld", AccrecProcess.executable()])
        try #require(result.end == .exit(0))
        let lines = result.text.split(separator: "\n")
        #expect(lines.contains { $0.contains("GNU_RELRO") })
        #expect(lines.contains { $0.contains("(FLAGS)") && $0.contains("BIND_NOW") })
        // Each line maps the sections of a segment, in the order of the segments before.
        let segments = lines.filter { $0.contains(#/^  [A-Z_]+ +0x/#) }
        let sections = lines.filter { $0.contains(#/^   [0-9]{2} /#) }
        try #require(segments.count == sections.count)
        let writable = zip(segments, sections).filter { $0.0.contains(#/^  LOAD .* RW/#) }.map(\.1)
        #expect(!writable.isEmpty)
        #expect(!writable.contains { $0.split(separator: " ").contains(".rodata") })
    }
}
