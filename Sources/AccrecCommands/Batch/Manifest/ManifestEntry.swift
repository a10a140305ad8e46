/// A key of a row, and its value.
struct ManifestEntry {
    let key: String
    let value: ManifestValue
    /// Where the key stands, counted from 1.
    let line: Int
}
