import ACCAudioRecorder
import ArgumentParser

/// A file size: a number of bytes, or of `K`, `M`, `G` or `T` (powers of 1024), or of `KB`, `MB`, `GB` or `TB`
/// (powers of 1000).
struct FileSize: Hashable {
    let byteCount: Int

    init?(_ argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), let factor = Self.factor(argument.dropFirst(digits.count)) else {
            return nil
        }
        let count = (number * factor).rounded()
        guard count >= Double(SplittingPolicy.smallestFile), count <= 0x1p62 else { return nil }
        byteCount = Int(count)
    }

    /// Parses the size.
    static func parse(_ text: String) throws -> FileSize {
        guard let size = FileSize(text) else {
            throw ValidationError("give a size of at least 64K, such as 500M, 650MB or 1G")
        }
        return size
    }

    private static func factor(_ unit: Substring) -> Double? {
        let prefixes = ["", "K", "M", "G", "T"]
        let unit = unit.uppercased()
        if let power = prefixes.firstIndex(of: unit)
            ?? prefixes.dropFirst().firstIndex(where: { "\($0)IB" == unit })
        {
            return (0..<power).reduce(1) { factor, _ in factor * 1024 }
        }
        guard let power = prefixes.firstIndex(where: { "\($0)B" == unit }) else { return nil }
        return (0..<power).reduce(1) { factor, _ in factor * 1000 }
    }
}
