import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Copies of parts of a file.
struct FileCopyTests {
    @Test("A range is copied as it is, with a call after each part and the last one")
    func parts() async throws {
        try await TemporaryDirectory.with { directory in
            let bytes = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
            let (source, target) = (directory.appending(path: "source"), directory.appending(path: "target"))
            try bytes.write(to: source)
            for (part, count) in [(1 << 20, 3), (1, 10), (.max, 1)] {
                let file = try FileDescriptor.open(source.path, .readOnly)
                defer { try? file.close() }
                let new = try FileDescriptor.open(
                    target.path, .readWrite, options: [.create, .truncate], permissions: .ownerReadWrite)
                defer { try? new.close() }
                var calls = 0
                try file.copy(3..<2_499_999, to: new, at: 2, part: part) { calls += 1 }
                #expect(calls == count)
                #expect(try Data(contentsOf: target) == Data([0, 0]) + bytes[3..<2_499_999])
                try file.copy(5..<5, to: new, at: 0) { Issue.record("a part of nothing") }
            }
        }
    }
}
