/// A value of a TOML document.
enum TOMLValue: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case float(Double)
    case flag(Bool)
    /// A time, or a date with a time, in RFC 3339 notation.
    case time(String)
    /// A date without a time.
    case date(String)
    case array([TOMLValue])
    case table(TOMLTable)
}

/// A table of a TOML document, with its entries in document order.
struct TOMLTable: Equatable {
    struct Entry: Equatable {
        let key: String
        let value: TOMLValue
        /// The line of the key, counted from 1.
        let line: Int
    }

    /// The line of its first mention, counted from 1.
    let line: Int
    let entries: [Entry]

    /// The entry of a key, or nil if there is none.
    subscript(key: String) -> Entry? { entries.first { $0.key == key } }
}

extension TOMLTable {
    /// The table of an entry, or nil if its value is not a table.
    func table(_ key: String) -> TOMLTable? {
        guard case .table(let table)? = self[key]?.value else { return nil }
        return table
    }
}
