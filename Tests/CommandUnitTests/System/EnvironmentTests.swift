import Glibc
import Testing

@testable import AccrecCommands

/// The environment of programs that this one starts.
@Suite(.serialized)
struct EnvironmentTests {
    @Test("Values that are not UTF-8 are passed on as they are, and a variable is set once")
    func bytes() throws {
        let latin: [CChar] = "/home/j".utf8CString.dropLast() + [CChar(bitPattern: 0xF6), 0]
        setenv("ACCREC_TEST", latin, 1)
        setenv("ACCREC_TEST_OTHER", "before", 1)
        defer {
            unsetenv("ACCREC_TEST")
            unsetenv("ACCREC_TEST_OTHER")
        }
        let environment = Environment(setting: ["ACCREC_TEST_OTHER": "after", "ACCREC_TES": "new"])
        #expect(environment.entries.last == .some(nil))
        let entries = environment.entries.compactMap { $0 }.map { entry in
            [UInt8](UnsafeRawBufferPointer(start: entry, count: strlen(entry)))
        }.filter { $0.starts(with: Array("ACCREC_TES".utf8)) }
        #expect(
            Set(entries) == [
                Array("ACCREC_TEST=/home/j".utf8) + [0xF6], Array("ACCREC_TEST_OTHER=after".utf8),
                Array("ACCREC_TES=new".utf8),
            ])
        #expect(entries.count == 3)
    }
}
