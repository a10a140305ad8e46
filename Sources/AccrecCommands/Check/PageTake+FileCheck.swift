import ACCAudioRecorder

// MARK: - Takes from checks

extension PageTake {
    /// The take of a checked file; its address is for the page to set.
    init(_ check: FileCheck, curves: TakeCurves?, mostPlaces: Int) {
        let (name, folder) = Self.parts(ofPath: check.file)
        let format = check.format.prefix { $0 != "," }
        let container = String(format.firstRange(of: " (").map { format[..<$0.lowerBound] } ?? format)
        let places = check.findings.map(TakePlace.init) + check.markers.map(TakePlace.init)
        let isFailed = places.contains { $0.type == .failed || $0.type == .gap }
        self.init(
            name: name, folder: folder, address: nil, container: container, mediaType: Self.mediaTypes[container],
            format:
                "\(check.format), \(check.sampleRate.plain) Hz, \(check.channels) channel\(check.channels == 1 ? "" : "s")",
            seconds: check.length, verdict: check.isGood ? .ok : isFailed ? .failed : .warned,
            loudness: check.figures.integrated, truePeak: check.figures.truePeak,
            facts: check.figures.measurements(at: check.sampleRate).map {
                Fact(name: $0.name.prefix(1).uppercased() + $0.name.dropFirst(), text: $0.text)
            },
            places: places, mostPlaces: mostPlaces, omittedBefore: check.omitted, curves: curves)
    }

    /// The take of a file that cannot be checked.
    init(unreadable path: String, _ failure: RunFailure) {
        let (name, folder) = Self.parts(ofPath: path)
        self.init(
            name: name, folder: folder, address: nil, container: "", format: "", seconds: 0, verdict: .failed,
            loudness: nil, truePeak: nil, facts: [],
            places: [TakePlace(.failed, kind: "unreadable", "\(failure)")], mostPlaces: 1, curves: nil)
    }

    private static func parts(ofPath path: String) -> (name: String, folder: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (path, "") }
        return (String(path[path.utf8.index(after: slash)...]), slash == path.startIndex ? "/" : String(path[..<slash]))
    }

    /// By the short name of the container as libsndfile has it.
    private static let mediaTypes = [
        "WAV": "audio/wav", "WAVEX": "audio/wav", "RF64": "audio/x-rf64", "W64": "audio/x-w64", "AIFF": "audio/aiff",
        "CAF": "audio/x-caf", "FLAC": "audio/flac", "OGG": "audio/ogg", "MPEG-1/2 Audio": "audio/mpeg",
    ]
}

extension TakePlace {
    fileprivate init(_ finding: FileCheck.Finding) {
        self.init(
            finding.kind == FileCheck.Kind.gap.rawValue
                ? .gap : Self.warnings.contains(finding.kind) ? .warned : .failed,
            kind: finding.kind, finding.text, start: finding.hasPlace ? finding.offset : nil,
            end: finding.hasPlace ? finding.offset + finding.length : nil, channels: finding.channels)
    }

    fileprivate init(_ marker: FileCheck.Marker) { self.init(.marker, marker.label, start: marker.offset) }

    /// The kinds with all of the audio still there, if not as it should be.
    private static let warnings = Set(
        [
            SignalFinding.Kind.flattened, .silence, .quiet, .oneSided, .identical, .inverted, .offset, .hum,
            .narrowBand,
        ].map(\.rawValue))
}
