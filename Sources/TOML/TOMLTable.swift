/// A table of a TOML document, with its entries in document order.
package struct TOMLTable: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let key: String
        package let value: Value
        /// The line of the key, counted from 1.
        package let line: Int
    }

    /// The line of its first mention, counted from 1.
    package let line: Int
    package let entries: [Entry]

    /// The entry of a key, or nil if there is none.
    package subscript(key: String) -> Entry? { entries.first { $0.key == key } }

    /// The table of an entry, or nil if its value is not a table.
    package func table(_ key: String) -> TOMLTable? {
        guard case .table(let table)? = self[key]?.value else { return nil }
        return table
    }
}

extension TOMLTable {
    /// A value of a TOML document.
    package enum Value: Equatable, Sendable {
        case text(String)
        case integer(Int)
        case float(Double)
        case flag(Bool)
        /// A time, or a date with a time, in RFC 3339 notation.
        case time(String)
        /// A date without a time.
        case date(String)
        case array([Value])
        case table(TOMLTable)
    }

    /// A table under construction, with the rules for adding to it. Arrays of values and inline tables cannot be
    /// extended, so they are values here.
    final class Builder {
        /// What defined a table.
        enum Definition {
            /// Its own header, `[a]` or `[[a]]`, or braces.
            case header
            /// The header of an inner table: `[a.b]` defines `a`.
            case headerOfInnerTable
            /// A dotted key: `a.b = 1` defines `a`.
            case key
        }

        /// Why something cannot be added.
        struct Conflict: Error {
            let cause: String
        }

        private enum Content {
            case value(Value)
            case table(Builder)
            /// An array of tables, defined by `[[a]]`; its elements are in the entry.
            case elements
        }

        private struct Entry {
            let key: String
            let line: Int
            let content: Content
            /// Those before the last one are finished: a header can add to the last one only.
            var elements: [Value] = []
            var last: Builder?
        }

        private let line: Int
        private var origin: Definition
        private var entries: [Entry] = []
        /// The index in `entries` of each key.
        private var indices: [String: Int] = [:]

        init(line: Int, origin: Definition) {
            (self.line, self.origin) = (line, origin)
        }

        /// The finished table.
        var table: TOMLTable {
            TOMLTable(
                line: line,
                entries: entries.map { entry in
                    let value: Value =
                        switch entry.content {
                        case .value(let value): value
                        case .table(let builder): .table(builder.table)
                        case .elements: .array(entry.elements + [entry.last].compactMap { $0.map { .table($0.table) } })
                        }
                    return TOMLTable.Entry(key: entry.key, value: value, line: entry.line)
                })
        }

        /// Adds a value.
        func add(_ value: Value, for key: String, line: Int) throws(Conflict) {
            if let entry = entry(key) { throw Self.isSet(key, entry) }
            insert(.value(value), for: key, line: line)
        }

        /// Adds the table of a header.
        ///
        /// - Parameter isElement: Whether it is the next element of an array.
        func addTable(_ key: String, isElement: Bool, line: Int) throws(Conflict) -> Builder {
            guard let index = indices[key] else {
                guard isElement else { return insertTable(key, line: line, origin: .header) }
                insert(.elements, for: key, line: line)
                return addElement(at: entries.count - 1, line: line)
            }
            switch entries[index].content {
            case .elements where isElement:
                return addElement(at: index, line: line)
            case .table(let builder) where !isElement && builder.origin == .headerOfInnerTable:
                builder.origin = .header
                return builder
            default:
                throw Self.isSet(key, entries[index])
            }
        }

        /// The table for a part of a header other than the last.
        func tableForHeader(of key: String, line: Int) throws(Conflict) -> Builder {
            guard let entry = entry(key) else { return insertTable(key, line: line, origin: .headerOfInnerTable) }
            if case .table(let builder) = entry.content { return builder }
            guard let last = entry.last else {
                throw Conflict(cause: "'\(key)' is not a table")
            }
            return last
        }

        /// The table for a part of a dotted key other than the last.
        func tableForKey(of key: String, line: Int) throws(Conflict) -> Builder {
            switch entry(key)?.content {
            case .table(let builder) where builder.origin != .header:
                builder.origin = .key
                return builder
            case .table, .elements: throw Conflict(cause: "'\(key)' has its own header; put this key below it")
            case .value: throw Conflict(cause: "'\(key)' is not a table")
            case nil: return insertTable(key, line: line, origin: .key)
            }
        }

        private func entry(_ key: String) -> Entry? { indices[key].map { entries[$0] } }

        private func insert(_ content: Content, for key: String, line: Int) {
            indices[key] = entries.count
            entries.append(Entry(key: key, line: line, content: content))
        }

        private func addElement(at index: Int, line: Int) -> Builder {
            let builder = Builder(line: line, origin: .header)
            if let last = entries[index].last { entries[index].elements.append(.table(last.table)) }
            entries[index].last = builder
            return builder
        }

        private func insertTable(_ key: String, line: Int, origin: Definition) -> Builder {
            let builder = Builder(line: line, origin: origin)
            insert(.table(builder), for: key, line: line)
            return builder
        }

        private static func isSet(_ key: String, _ entry: Entry) -> Conflict {
            Conflict(cause: "'\(key)' is already defined on line \(entry.line)")
        }
    }
}
