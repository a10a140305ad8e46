/// The part of a manifest that is about one take, or a number of alike ones.
struct ManifestRow {
    /// Where it begins, counted from 1.
    let line: Int
    /// What it says, in the order of its lines.
    let entries: [ManifestEntry]
}
