/// The length of an MP3 file of variable bit rate, as its first frame tells it in Xing's tag.
///
/// LAME leaves that frame empty until the end. Without the tag a reader guesses the length from the bit rate of that one
/// frame, so that of a program that was killed it may leave out what is there.
struct MP3Length {
    /// Where the tag is in the frame.
    private let offset: Int
    private let samplesPerFrame: Int

    /// - Parameter header: The four bytes that the frame begins with; nil where they are no header of a frame.
    init?(frameHeader header: some RandomAccessCollection<UInt8>) {
        let header = Array(header)
        guard header.count >= 4, header[0] == 0xFF, header[1] & 0xE0 == 0xE0 else { return nil }
        let (isFirstVersion, isMono) = (header[1] >> 3 & 3 == 3, header[3] >> 6 == 3)
        samplesPerFrame = isFirstVersion ? 1_152 : 576
        // Behind what the frame would say of its samples.
        offset = 4 + (isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    }

    /// The tag, and where it stands in the frame.
    ///
    /// - Parameters:
    ///   - frameCount: Samples of each channel.
    ///   - byteCount: From this frame to the end of the file.
    func tag(frameCount: Int, byteCount: Int) -> (bytes: [UInt8], offset: Int) {
        // Which of the numbers there are: both.
        let numbers = [3, frameCount / samplesPerFrame, byteCount]
        let bytes = numbers.flatMap { withUnsafeBytes(of: UInt32(clamping: $0).bigEndian) { Array($0) } }
        return (Array("Xing".utf8) + bytes, offset)
    }
}
