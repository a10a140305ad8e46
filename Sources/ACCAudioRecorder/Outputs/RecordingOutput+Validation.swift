import CSndFile

/// What an output asks of its container.
extension RecordingOutput {
    /// Refuses what the container does not have, before anything is known of the source.
    ///
    /// - Throws: `outputFailed` with the remedy. Rate, channel count and path are looked at when a recording starts.
    public func validate() throws(ACCAudioRecorderError) {
        guard container.isAvailable else {
            throw refusal(
                "\(container)", cause: "the libsndfile of this machine was built without it",
                remedy: "Choose another format; 'accrec formats' lists them.")
        }
        if case .descriptor = destination, !container.isStreamable {
            throw refusal(
                "\(container) to \(destination)", cause: "parts of it are written last, which takes a file",
                remedy: "Choose \(Self.list(Container.allCases.filter(\.isStreamable))).")
        }
        if let encoding, !container.encodings.contains(encoding) {
            guard !container.isLossy else {
                throw refusal(
                    "\(encoding) as \(container)", cause: "it is lossy and stores no samples",
                    remedy: "Leave the encoding out, or choose FLAC or WAV.")
            }
            throw refusal(
                "\(encoding) as \(container)", cause: "the format does not have it",
                remedy: "Choose \(Self.list(container.encodings)), or WAV, which takes all encodings.")
        }
        switch compression {
        case .level(let level)?:
            guard let levels = container.compressionLevels else {
                throw refusal(
                    "\(container) with a compression level", cause: "it is not compressed", remedy: "Leave it out.")
            }
            guard levels.contains(level) else {
                throw refusal(
                    "\(container) with compression level \(level)", cause: "it has no such level",
                    remedy: "Choose from \(levels.lowerBound) to \(levels.upperBound).")
            }
        case .bitRate?:
            guard container.hasBitRate else {
                let hasLevels = container.compressionLevels != nil
                throw refusal(
                    "\(container) with a bit rate", cause: "it has none that could be chosen",
                    remedy: hasLevels ? "Choose a compression level instead." : "Leave it out.")
            }
        case nil: break
        }
        try validateLabels()
        guard longestDelay > 0, longestDelay < .infinity else {
            throw .outputFailed(
                .init(
                    .invalidFormat, "cannot let \(longestDelay) s wait for \(destination)", cause: "that is no time",
                    remedy: "Choose a number of seconds."))
        }
        guard syncInterval >= 0, syncInterval < .infinity else {
            throw .outputFailed(
                .init(
                    .invalidFormat, "cannot bring \(destination) to its disk every \(syncInterval) s",
                    cause: "that is no interval", remedy: "Choose a number of seconds, or 0."))
        }
    }

    /// Refuses what the file cannot say of itself.
    private func validateLabels() throws(ACCAudioRecorderError) {
        let named = MetadataTag.allCases.compactMap { tag in tags[tag].map { (tag, "\(tag)", $0) } }
        for (tag, name, text) in named + otherTags.map({ (.comment, $0.key, $0.value) }) {
            guard container.tags.contains(tag) else {
                throw refusal(
                    "\(name) into \(container)", cause: "the format has no place for it",
                    remedy: "Leave it out, or choose FLAC, which has a place for each.")
            }
            guard !text.isEmpty, !text.unicodeScalars.contains("\0") else {
                throw refusal(name, cause: "it is empty, or has a zero in it", remedy: "Give it a text.")
            }
            guard container != .mp3 || text.unicodeScalars.allSatisfy({ $0.value < 256 }) else {
                throw refusal(
                    "\(name) '\(text)' into mp3", cause: "libsndfile writes it in Latin-1 only",
                    remedy: "Write it in Latin letters, or choose Opus or FLAC.")
            }
        }
        guard isBroadcastWave != true || container.hasBroadcastInfo else {
            throw refusal(
                "a broadcast chunk into \(container)", cause: "the format has no place for it",
                remedy: "Leave it out, or choose WAV or RF64.")
        }
    }

    /// Refuses a rate, channels and what depends on them.
    ///
    /// - Parameter encoding: How its samples are handed to the container.
    func check(_ form: FrameForm, encoding: SampleEncoding) throws(ACCAudioRecorderError) {
        let (rate, count) = (form.sampleRate, form.channelCount)
        let lossless = "or FLAC or WAV, which take others"
        guard container.channelCounts.contains(count) else {
            throw refusal(
                "\(count) channels as \(container)", cause: "the format does not have it",
                remedy: "Choose up to \(container.channelCounts.upperBound) channels, or WAV, which takes up to 32.")
        }
        if let rates = container.sampleRates, !rates.contains(rate) {
            throw refusal(
                "\(rate) Hz as \(container)", cause: "the format does not have it",
                remedy: "Choose a rate of \(Self.list(rates)) Hz, \(lossless).")
        }
        guard rate <= container.highestSampleRate else {
            throw refusal(
                "\(rate) Hz as \(container)", cause: "the format does not have it",
                remedy: "Choose a rate up to \(container.highestSampleRate) Hz, \(lossless).")
        }
        if case .bitRate(let bitRate)? = compression {
            let rates = container.bitRates(sampleRate: rate, channelCount: count)
            guard rates.contains(bitRate) else {
                throw refusal(
                    "\(bitRate) kbit/s as \(container) with \(count) channel\(count == 1 ? "" : "s") at \(rate) Hz",
                    cause: "the format does not have it", remedy: "Choose \(Self.list(rates)) kbit/s.")
            }
        }
        // What the library knows besides; of raw samples it need not know.
        guard var info = container.soundFileInfo(encoding: encoding, form: form), sf_format_check(&info) == 0 else {
            return
        }
        throw refusal(
            "\(encoding) with \(count) channels at \(rate) Hz as \(container)", cause: "the format does not have it",
            remedy: "Choose WAV, which takes all encodings, channels and rates.")
    }

    private func refusal(_ what: String, cause: String, remedy: String) -> ACCAudioRecorderError {
        .outputFailed(.init(.invalidFormat, "cannot write \(what)", cause: cause, remedy: remedy))
    }

    /// `a, b or c`; of many numbers without a gap only the first and the last.
    private static func list<Value>(_ values: [Value]) -> String {
        if let numbers = values as? [Int], let first = numbers.first, let last = numbers.last, numbers.count > 3,
            last - first == numbers.count - 1
        {
            return "from \(first) to \(last)"
        }
        let texts = values.map { "\($0)" }
        return texts.count < 2
            ? texts.joined() : texts.dropLast().joined(separator: ", ") + " or " + (texts.last ?? "")
    }
}
