/// Sizes for people.
enum ByteText {
    /// `512 B`, `1.2 MB`: three digits at most, in powers of 1000.
    static func short(_ count: Int) -> String {
        var value = Double(count)
        var units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let isWhole = units.startIndex == 0 || value >= 9.95
        let tenths = Int((value * 10).rounded())
        return "\(isWhole ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)") \(units.first!)"
    }
}
