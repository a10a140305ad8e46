/// When a recording continues in new files by itself. All outputs are cut at the same instant, and no frame is lost or
/// duplicated.
///
/// In JSON a policy is an object with `interval` in seconds, `is_by_clock` and `file_size`; what is missing has its default.
public struct SplittingPolicy: Sendable, Hashable {
    /// The shortest valid interval: a second.
    public static let shortestInterval = Duration.seconds(1)
    /// The smallest valid file size in bytes.
    public static let smallestFile = 64 << 10

    /// The length of each file: file `n` ends at exactly `round(n × interval × rate)` frames of the
    /// recording. Nil, the default, for a single file.
    public var interval: Duration?
    /// Whether files begin instead at multiples of the interval since midnight, local time; false by default.
    public var isByClock: Bool
    /// The maximum file size in bytes, exceeded only if a single fragment does; nil, the default, for no limit.
    public var fileSize: Int?

    /// Creates a policy.
    public init(interval: Duration? = nil, isByClock: Bool = false, fileSize: Int? = nil) {
        self.interval = interval
        self.isByClock = isByClock
        self.fileSize = fileSize
    }

    func validate() throws(ACCAudioRecorderError) {
        if let interval, interval < Self.shortestInterval {
            throw .refused(
                "splitting.interval", "cannot record in files of \(interval.seconds) s", remedy: "Choose at least 1 s.")
        }
        if isByClock, interval == nil {
            throw .refused(
                "splitting.isByClock", "cannot record in files aligned to the clock", cause: "their length is missing",
                remedy: "Set their length.")
        }
        if let fileSize, fileSize < Self.smallestFile {
            throw .refused(
                "splitting.fileSize", "cannot record in files of \(fileSize) bytes", remedy: "Choose at least 64 KiB.")
        }
    }
}

extension SplittingPolicy: Codable {
    private enum CodingKeys: String, CodingKey {
        case interval
        case isByClock = "is_by_clock"
        case fileSize = "file_size"
    }

    /// Decodes what is there.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.decode(.interval, into: &interval)
        try container.decode(.isByClock, into: &isByClock)
        try container.decode(.fileSize, into: &fileSize)
    }
}
