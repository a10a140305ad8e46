import ACCAudioRecorder

/// A format as `accrec formats --json` prints it. The manual page documents the keys.
struct FormatRecord: Encodable {
    let name: String
    let description: String
    let extensions: [String]
    let isAvailable: Bool
    let isLossy: Bool
    let encodings: [String]
    let maxChannels: Int
    let sampleRates: [Int]?
    let maxSampleRate: Int
    let maxBytes: Int?
    let compressionLevels: [Int]?
    let defaultCompression: Int?
    let hasBitRate: Bool
    let tags: [String]

    init(_ container: Container) {
        name = container.rawValue
        description = container.fullName
        extensions = container.fileExtensions
        isAvailable = container.isAvailable
        isLossy = container.isLossy
        encodings = container.encodings.map(\.rawValue)
        maxChannels = container.channelCounts.upperBound
        sampleRates = container.sampleRates
        maxSampleRate = container.highestSampleRate
        maxBytes = container.largestSize
        compressionLevels = container.compressionLevels.map(Array.init)
        defaultCompression = container.defaultCompressionLevel
        hasBitRate = container.hasBitRate
        tags = container.tags.map(\.rawValue)
    }
}
