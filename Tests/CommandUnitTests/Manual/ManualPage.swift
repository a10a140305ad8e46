import Foundation
import TestSupport

/// The sections of the manual page, as mdoc source.
struct ManualPage {
    private let text: String

    init() throws {
        let file = Project.file("man/accrec.1")
        text = try String(contentsOf: file, encoding: .utf8)
    }

    /// A section or subsection, without its subsections; nil if there is none.
    func section(_ title: String) -> Substring? {
        let sections = text.split(separator: #/(?m)^\.(Sh|Ss) /#)
        return sections.first { $0.hasPrefix("\(title)\n") }?.dropFirst(title.count)
    }

    /// The titles of all sections and subsections.
    var titles: [String] { text.matches(of: #/(?m)^\.(?:Sh|Ss) (.+)$/#).map { String($0.1) } }

    /// The synopsis of each command, by its name.
    var synopsis: [String: Substring] {
        let forms = section("SYNOPSIS")?.split(separator: ".Nm\n.Cm ") ?? []
        return Dictionary(uniqueKeysWithValues: forms.dropFirst().map { (String($0.prefix { $0 != "\n" }), $0) })
    }

    /// The options marked as such in a text, without the hyphen that the macro stands for: `-rate`, `r`.
    static func options(in text: some StringProtocol) -> Set<String> {
        let lines = String(text).split(separator: "\n").filter { $0.hasPrefix(".") && $0.contains("Fl ") }
        return Set(lines.flatMap { $0.matches(of: #/(?:Fl|[,|]) (-?[a-z][a-z-]*)/#).map { String($0.1) } })
    }

    /// The options that a text has an entry for, each with its value, as it is marked: `r , -rate Ar hertz`. An entry for
    /// one option with another is left out.
    static func optionItems(in text: some StringProtocol) -> [String] {
        let items = String(text).matches(of: #/(?m)^\.It Fl (.+)$/#).map { String($0.1) }
        return items.flatMap { $0.components(separatedBy: " , Fl ") }.filter { !$0.contains("Fl ") }
    }
}
