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
