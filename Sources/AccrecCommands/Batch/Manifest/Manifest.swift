import ACCAudioRecorder
import ArgumentParser
import FoundationEssentials

/// The content of a manifest in the order of its lines, not yet interpreted.
struct Manifest {
    /// The maximum length in bytes.
    static let longest = 32 << 20

    /// Defaults for rows that do not set a key themselves.
    private(set) var defaults: [Entry] = []
    private(set) var rows: [Row] = []

    /// The manifest's format, by its file extension.
    private enum Format: String {
        case toml, csv, jsonl, ndjson
    }

    /// Reads a manifest.
    ///
    /// - Parameters:
    ///   - keys: The keys that a row may have.
    ///   - mistakes: Collects all mistakes in the manifest.
    init(path: String, keys: Keys, mistakes: inout FileMistakes) {
        guard let format = Format(rawValue: URL(filePath: path).pathExtension.lowercased()) else {
            mistakes.add("unknown kind of manifest: the name must end in .toml, .csv or .jsonl")
            return
        }
        guard let text = Self.text(path: path, &mistakes) else { return }
        switch format {
        case .toml: (defaults, rows) = Self.content(ofTOML: text, &mistakes)
        case .csv: rows = Self.rows(ofCSV: text, keys: keys, &mistakes)
        case .jsonl, .ndjson: rows = Self.rows(ofJSONLines: text, &mistakes)
        }
        if rows.isEmpty, mistakes.isEmpty { mistakes.add("it lists no takes") }
    }

    /// The text of a manifest, or nil if it cannot be read.
    private static func text(path: String, _ mistakes: inout FileMistakes) -> String? {
        do throws(SettingsText.Failure) {
            return try SettingsText(path: path, longest: longest).text
        } catch {
            switch error {
            case .unreadable(let cause):
                mistakes.add("cannot read it: \(cause). Name a manifest you can read.")
            case .tooLong(let longest):
                mistakes.add("it is longer than \(ByteText.short(longest)). Split it into several manifests.")
            case .notText(let found):
                for mistake in found { mistakes.add(mistake.message, line: mistake.line) }
            }
            return nil
        }
    }
}

extension Manifest {
    /// The part of a manifest that describes one take, or several alike.
    struct Row {
        /// The line where it begins, counted from 1.
        let line: Int
        /// Its keys and values, in the order of the lines.
        let entries: [Entry]
    }

    /// A key of a row, and its value.
    struct Entry {
        let key: String
        let value: Value
        /// The line of the key, counted from 1.
        let line: Int
    }

    /// A value in a manifest, whatever the manifest's format.
    enum Value: Equatable {
        case text(String)
        /// As written on the command line.
        case number(String)
        case flag(Bool)
        case list([Value])
        case table([String: Value])

        /// The value as an option's argument, with the elements of a list joined by commas, or nil if it has no such
        /// form.
        var argument: String? {
            switch self {
            case .text(let text), .number(let text): text
            case .list(let values): Self.joined(values)
            case .flag, .table: nil
            }
        }

        private static func joined(_ values: [Value]) -> String? {
            let texts = values.compactMap(\.argument)
            return texts.count == values.count ? texts.joined(separator: ",") : nil
        }

        /// The value as a boolean, or nil if it is not one.
        var isTrue: Bool? {
            switch self {
            case .flag(let isTrue): isTrue
            case .text(let text): Bool(text)
            case .number, .list, .table: nil
            }
        }
    }

    /// The keys that a row of a manifest may have: options of `accrec record` by their long names, and some of its own.
    struct Keys {
        /// The keys that are not options.
        enum Own: String, CaseIterable {
            /// The number of repetitions of the take.
            case count
            /// The pause between two repetitions.
            case pause
            /// The text shown to the person who is recorded.
            case prompt
            /// The earliest time at which the take begins.
            case start
            /// Another name for `--max`.
            case duration
            /// Tags as a table, instead of several `--tag` options.
            case tags
            /// What the take's files must be like: a take that is not fails.
            case check
        }

        /// The options that do not concern outputs.
        let recordingOptions: [OptionDefinition]
        private let options: [String: OptionDefinition]
        private let names: [String]
        private let optionsElsewhere: [String]

        /// Options that concern the batch as a whole, leave the file name open until the take, or concern standard
        /// output.
        private static let excluded = [
            "align", "auto-name", "inhibit-sleep", "keep-going", "stdout-buffer", "stdout-overflow",
        ]

        init() throws {
            recordingOptions = try OptionDefinition.all(of: RecordingOptions.Shared.self).filter {
                !Self.excluded.contains($0.name)
            }
            let outputOptions = try OptionDefinition.all(of: OutputOptions.self)
            let all = outputOptions.filter { !Self.excluded.contains($0.name) } + recordingOptions
            options = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
            names = all.map(\.name) + Own.allCases.map(\.rawValue)
            optionsElsewhere = try OptionDefinition.all(of: RecordCommandOptions.self).map(\.name)
        }

        /// The option of that name, or nil if there is none.
        func option(_ name: String) -> OptionDefinition? { options[name] }

        /// A message for a key that rows cannot have, or nil if the key is valid.
        func mistake(in key: String) -> String? {
            guard !names.contains(key) else { return nil }
            guard !optionsElsewhere.contains(key) else { return "'\(key)' cannot be set for one take of a batch" }
            let hint = NearestWord.to(key, among: names).map { "Did you mean '\($0)'?" }
            return "unknown key '\(key)'. \(hint ?? "'man accrec-batch' lists them.")"
        }
    }
}
