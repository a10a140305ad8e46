import Foundation
import TestSupport

/// The sections of the manual's pages, as mdoc source: those of `accrec`, and of pages for one command, such as `accrec-batch`.
struct ManualPage {
    /// The sections and subsections of all pages, each without its subsections. The description of a command's own page is
    /// titled as a section about the command.
    private let sections: [(title: String, text: Substring)]

    init() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Project.file("man").path).sorted()
        sections = try files.flatMap { file in
            let text = try String(contentsOf: Project.file("man/\(file)"), encoding: .utf8)
            let command = file.firstMatch(of: #/^accrec-(.+)\.1$/#).map { "accrec \($0.1)" }
            return text.split(separator: #/(?m)^\.(Sh|Ss) /#).dropFirst().map { section in
                let title = String(section.prefix { $0 != "\n" })
                return (title == "DESCRIPTION" ? command ?? title : title, section.dropFirst(title.count))
            }
        }
    }

    /// A section or subsection, without its subsections; nil if there is none.
    func section(_ title: String) -> Substring? { sections.first { $0.title == title }?.text }

    /// The titles of all sections and subsections.
    var titles: [String] { sections.map(\.title) }

    /// The synopsis of each command, by its name.
    var synopsis: [String: Substring] {
        let forms = sections.filter { $0.title == "SYNOPSIS" }
            .flatMap { $0.text.split(separator: #/(?m)^\.Nm(?: accrec)?\n\.Cm /#).dropFirst() }
        return Dictionary(uniqueKeysWithValues: forms.map { (String($0.prefix { $0 != "\n" }), $0) })
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
