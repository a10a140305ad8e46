/// Sizes for people.
enum ByteText {
    private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]

    /// `512 B`, `1.2 MB`: three digits at most, in powers of 1000.
    static func short(_ count: Int) -> String {
        var value = Double(count)
        var index = 0
        while value >= 999.5, index < units.count - 1 {
            value /= 1000
            index += 1
        }
        let isWhole = index == 0 || value >= 9.95
        let tenths = Int((value * 10).rounded())
        let number = isWhole ? String(Int(value.rounded())) : String(tenths / 10) + "." + String(tenths % 10)
        return number + " " + units[index]
    }
}
