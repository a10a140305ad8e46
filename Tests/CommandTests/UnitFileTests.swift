import Foundation
import TestSupport
import Testing

/// The systemd units in Examples/systemd. Their commands are tested with the cookbook.
@Suite struct UnitFileTests {
    @Test("systemd accepts each of them without complaint")
    func areAcceptedBySystemd() async throws {
        let units = try Recipe.units()
        #expect(Set(units.map(\.pathExtension)) == ["service", "timer"])
        try await TemporaryDirectory.with { directory in
            let copies = try units.map { unit in
                let copy = directory.appending(path: unit.lastPathComponent)
                // Use a program that exists, because systemd checks that.
                let text = try String(contentsOf: unit, encoding: .utf8)
                    .replacing("/usr/local/bin/accrec", with: try AccrecProcess.executable())
                try Data(text.utf8).write(to: copy)
                return copy.path
            }
            let result = try await ChildProcess.run(
                ["systemd-analyze", "--user", "--man=no", "verify"] + copies,
                environment: ChildProcess.baseEnvironment.merging([
                    "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path,
                ]) { $1 }, within: 30)
            #expect(result.end == .exit(0) && result.standardError.isEmpty, "\(result.standardError)")
        }
    }
}
