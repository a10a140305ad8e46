import Glibc

/// The address of a file, relative to the page that plays it.
enum PageAddress {
    /// The relative URL (RFC 3986) of a file, which begins with `./` or `../`, so that no name looks like a scheme. Symbolic
    /// links are followed, because a browser takes `..` from where the page really is.
    ///
    /// - Returns: Nil if the file or the folder of the page does not exist.
    static func relative(to file: String, fromPageAt page: String) -> String? {
        let folder = page.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let pageFolder = folder.isEmpty ? (page.hasPrefix("/") ? "/" : ".") : folder
        guard let target = components(ofRealPath: file), let base = components(ofRealPath: pageFolder) else {
            return nil
        }
        let shared = zip(target, base).prefix { $0 == $1 }.count
        let up = base.count - shared
        let start = up == 0 ? ["."] : Array(repeating: "..", count: up)
        return (start + target[shared...].map(encoded)).joined(separator: "/")
    }

    private static func components(ofRealPath path: String) -> [[UInt8]]? {
        guard !path.utf8.contains(0), let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        let bytes = UnsafeRawBufferPointer(start: real, count: strlen(real))
        return bytes.split(separator: UInt8(ascii: "/")).map(Array.init)
    }

    /// Each byte but the unreserved ones as `%XX`.
    private static func encoded(_ component: [UInt8]) -> String {
        var text = ""
        for byte in component {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }
}
