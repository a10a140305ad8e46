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

    @Test(
        "`make install` installs them where systemd looks, with the path of the installed program, and uninstalls all")
    func areInstalled() async throws {
        try await TemporaryDirectory.with { directory in
            let variables = [
                "PREFIX=/opt/x", "DESTDIR=\(directory.path)", "binary=\(try AccrecProcess.executable())",
            ]
            let make = ["make", "--no-print-directory", "-C", Project.file("").path]
            let installed = try await ChildProcess.run(make + ["install"] + variables, within: 60)
            #expect(installed.end == .exit(0), "\(installed.standardError)")
            for unit in try Recipe.units() {
                let copy = directory.appending(path: "opt/x/share/systemd/user/\(unit.lastPathComponent)")
                let text = try String(contentsOf: unit, encoding: .utf8)
                #expect(
                    try String(contentsOf: copy, encoding: .utf8)
                        == text.replacing("/usr/local/bin/accrec", with: "/opt/x/bin/accrec"))
            }
            let page = try String(
                contentsOf: directory.appending(path: "opt/x/share/man/man1/accrec.1"), encoding: .utf8)
            #expect(page.contains(#/(?m)^\.Os accrec \d+\.\d+\.\d+$/#))
            _ = try await ChildProcess.run(make + ["uninstall"] + variables, within: 60)
            let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: [.isRegularFileKey])
            let left = files?.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath } ?? []
            #expect(left.isEmpty, "\(left)")
        }
    }
}
