import SystemPackage

/// The text of a manifest, of which neither the whole nor a line is longer than anybody would write.
struct ManifestText {
    /// In bytes.
    static let longestLine = 65_536
    /// In bytes.
    static let longest = 32 << 20

    let text: String

    /// Nil where it cannot be read, or is no text, or too long.
    init?(path: String, mistakes: inout ManifestMistakes) {
        do {
            let bytes = try Self.bytes(ofFile: path)
            guard bytes.count <= Self.longest else {
                mistakes.add("it is longer than \(ByteText.short(Self.longest)). Split it into several.")
                return nil
            }
            guard let text = Self.text(bytes, &mistakes) else { return nil }
            self.text = text
        } catch {
            mistakes.add("cannot read it: \(error). Name a manifest that is there, and yours.")
            return nil
        }
    }

    private static func bytes(ofFile path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            while bytes.count <= longest {
                let more = try [UInt8](unsafeUninitializedCapacity: 65_536) {
                    $1 = try file.read(into: UnsafeMutableRawBufferPointer($0))
                }
                if more.isEmpty { break }
                bytes += more
            }
            return bytes
        }
    }

    /// Without the mark that some programs put ahead of UTF-8. Nil where a line is too long, or no text.
    private static func text(_ bytes: [UInt8], _ mistakes: inout ManifestMistakes) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        var isGood = true
        for (index, line) in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            if line.count > longestLine {
                mistakes.add("the line has \(line.count) bytes, more than \(longestLine)", line: index + 1)
                isGood = false
            } else if String(validating: line, as: UTF8.self) == nil {
                mistakes.add("it is no text in UTF-8", line: index + 1)
                isGood = false
            } else if line.contains(0) {
                mistakes.add("it has a zero in it, which no text has", line: index + 1)
                isGood = false
            }
        }
        return isGood ? String(decoding: content, as: UTF8.self) : nil
    }
}
