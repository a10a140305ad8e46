import Foundation
import TestSupport

/// A command from the documentation.
struct Recipe {
    /// The title of its section in the cookbook, numbered if there are several, or the name of its systemd unit.
    let name: String
    let command: String

    /// The recipes of docs/cookbook.md and Examples/systemd.
    static func all() throws -> [Recipe] { try ofCookbook() + ofUnits() }

    private static func ofCookbook() throws -> [Recipe] {
        let text = try String(contentsOf: Project.file("docs/cookbook.md"), encoding: .utf8)
        return text.components(separatedBy: "\n## ").dropFirst().flatMap { section in
            let title = section.prefix { $0 != "\n" }
            let blocks = section.matches(of: #/(?ms)^```(sh|crontab)\n(.*?)^```$/#)
            return blocks.enumerated().map { index, block in
                Recipe(
                    name: blocks.count == 1 ? String(title) : "\(title), \(index + 1)",
                    command: block.1 == "sh" ? String(block.2) : command(inCronTable: block.2))
            }
        }
    }

    /// The command that cron would run for the last line of its table.
    private static func command(inCronTable table: Substring) -> String {
        let line = table.split(separator: "\n").last ?? ""
        return String(line.split(separator: " ", maxSplits: 5).last ?? "").replacing("\\%", with: "%")
    }

    private static func ofUnits() throws -> [Recipe] {
        try units().filter { $0.pathExtension == "service" }.map { unit in
            let text = try String(contentsOf: unit, encoding: .utf8)
            let command = String(text.firstMatch(of: #/(?m)^ExecStart=(.*)$/#)?.1 ?? "")
            return Recipe(
                name: unit.lastPathComponent,
                command: command.replacing("%h", with: "\"$HOME\"").replacing("%%", with: "%"))
        }
    }

    /// The files in Examples/systemd.
    static func units() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: Project.file("Examples/systemd"), includingPropertiesForKeys: nil)
    }
}
