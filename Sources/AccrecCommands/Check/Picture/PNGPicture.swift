import ACCAudioRecorder
import SystemPackage

/// Draws pictures as PNG: by `rsvg-convert` of librsvg, from their SVG.
///
/// A program rather than a library, which the command would load with each recording: text needs fonts and what lays it out.
struct PNGPicture {
    /// What each picture has within its first kilobyte, and no other file.
    static let mark = "Software\0accrec check"
    private static let name = "rsvg-convert"
    private static let longestWait = Duration.seconds(60)
    /// A picture has some 100 kB.
    private static let mostBytes = 1 << 26

    private let program: String

    /// - Throws: `ACCAudioRecorderError` where the program is not installed.
    init() throws(ACCAudioRecorderError) {
        guard let program = ChildProgram.path(of: Self.name) else {
            throw Self.failure("\(Self.name), which draws it, is not installed")
        }
        self.program = program
    }

    /// Draws a picture, twice as large as it is in SVG.
    func bytes(of svg: String) throws(ACCAudioRecorderError) -> [UInt8] {
        let (bytes, failure): ([UInt8], String?)
        do throws(Errno) {
            (bytes, failure) = try run(on: svg)
        } catch {
            throw Self.failure("\(error)")
        }
        if let failure { throw Self.failure("\(Self.name): \(failure)") }
        guard let marked = PNGImage.marked(bytes, Self.mark) else { throw Self.failure("\(Self.name) wrote no PNG") }
        return marked
    }

    private func run(on svg: String) throws(Errno) -> (output: [UInt8], failure: String?) {
        let input = try MemoryFile(holding: svg)
        let output = try MemoryFile()
        let child = try ChildProgram(
            program, ["--format=png", "--zoom=2"], input: input.descriptor, output: output.descriptor)
        let message = child.wait(atMost: Self.longestWait)
        let failure = ChildProgram.failure(child.reap()).map { message ?? $0 }
        return (try output.bytes(atMost: Self.mostBytes), failure)
    }

    private static func failure(_ cause: String) -> ACCAudioRecorderError {
        .outputFailed(
            .init(
                .cannotCreate, "cannot draw the picture as PNG", cause: cause,
                remedy: "Install librsvg2-bin, or write SVG: --picture take.svg."))
    }
}

/// A PNG image with a palette (ISO/IEC 15948), not compressed.
///
/// It is not libpng, which the command would then load with each recording, for a picture of a few kilobytes.
struct PNGImage {
    /// In pixels, each at least 1.
    let width: Int
    let height: Int
    /// Red, green and blue of each colour, of which there are at most 256.
    let palette: [UInt8]
    /// The number of each pixel's colour, row by row from the top.
    let pixels: [UInt8]

    /// The bytes of the file.
    var bytes: [UInt8] {
        let header = Self.number(width) + Self.number(height) + [8, 3, 0, 0, 0]
        // Each row begins with its filter, 0 for none.
        let rows = (0..<height).flatMap { [0] + pixels[($0 * width)..<(($0 + 1) * width)] }
        return Self.signature + Self.chunk("IHDR", header)
            + Self.chunk("PLTE", palette)
            + Self.chunk("IDAT", Self.stored(rows)) + Self.chunk("IEND", [])
    }

    /// Another program's image with a text behind its header.
    ///
    /// - Parameter text: A keyword, a zero and its value, in Latin-1 (`tEXt`).
    /// - Returns: Nil if the bytes do not begin as an image.
    static func marked(_ image: [UInt8], _ text: String) -> [UInt8]? {
        let headerEnd = signature.count + 25
        guard image.count > headerEnd, image.starts(with: signature) else { return nil }
        return image[..<headerEnd] + chunk("tEXt", Array(text.utf8)) + image[headerEnd...]
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let typed = Array(type.utf8) + content
        return number(content.count) + typed + number(Int(checksum(typed)))
    }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
            stream += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high]
            stream += block
        } while !rest.isEmpty
        var (one, other) = (1, 0)
        for byte in bytes {
            one = (one + Int(byte)) % 65_521
            other = (other + one) % 65_521
        }
        return stream + number(other << 16 | one)
    }

    /// CRC-32 of ISO 3309.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var checksum = UInt32.max
        for byte in bytes {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
        }
        return ~checksum
    }
}
