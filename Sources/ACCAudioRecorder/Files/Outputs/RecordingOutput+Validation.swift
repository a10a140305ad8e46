import CSndFile

/// Checks of an output against the capabilities of its container.
extension RecordingOutput {
    /// Checks whether the container supports these settings, without knowing the source.
    ///
    /// - Throws: `outputFailed`, with a remedy. Sample rate, channel count and path are checked when a recording
    ///   starts.
    public func validate() throws(ACCAudioRecorderError) {
        guard container.isAvailable else {
            throw refusal(
                "\(container)", cause: "libsndfile on this machine was built without it",
                remedy: "Choose another format.", recoveryOption: .chooseContainer)
        }
        if case .descriptor = destination { try checkStreamable() }
        if let encoding = format.encoding.value, !container.encodings.contains(encoding) {
            guard !container.isLossy else {
                throw refusal(
                    "\(encoding) as \(container)", cause: "it is a lossy format and has no sample encoding",
                    remedy: "Leave the encoding out, or choose FLAC or WAV.")
            }
            throw refusal(
                "\(encoding) as \(container)", cause: "the format does not support it",
                remedy: "Choose \(Self.list(container.encodings)), or WAV, which supports all encodings.")
        }
        switch compression {
        case .level(let level)?:
            guard let levels = container.compressionLevels else {
                throw refusal(
                    "\(container) with a compression level", cause: "it is not a compressed format",
                    remedy: "Leave it out.")
            }
            guard levels.contains(level) else {
                throw refusal(
                    "\(container) with compression level \(level)", cause: "there is no such level",
                    remedy: "Choose from \(levels.lowerBound) to \(levels.upperBound).")
            }
        case .bitRate?:
            guard container.hasBitRate else {
                let hasLevels = container.compressionLevels != nil
                throw refusal(
                    "\(container) with a bit rate", cause: "its bit rate cannot be set",
                    remedy: hasLevels ? "Choose a compression level instead." : "Leave it out.")
            }
        case nil: break
        }
        try validateLabels()
        guard longestDelay > .zero else {
            throw .outputFailed(
                .init(
                    .invalidFormat, "cannot buffer \(longestDelay.seconds) s for \(destination)",
                    cause: "that is not a length of time",
                    remedy: "Choose a number of seconds."))
        }
        guard syncInterval >= .zero else {
            throw .outputFailed(
                .init(
                    .invalidFormat, "cannot sync \(destination) every \(syncInterval.seconds) s",
                    cause: "that is not an interval", remedy: "Choose a number of seconds, or 0."))
        }
    }

    /// Throws an error if the container needs a file but the output is a stream.
    func checkStreamable() throws(ACCAudioRecorderError) {
        guard !container.isStreamable else { return }
        throw refusal(
            "\(container) to \(destination)", cause: "its header is completed last, which needs a file",
            remedy: "Choose \(Self.list(Container.allCases.filter(\.isStreamable))).")
    }

    /// Checks the tags.
    private func validateLabels() throws(ACCAudioRecorderError) {
        let named = MetadataTag.allCases.compactMap { tag in tags[tag].map { (tag, "\(tag)", $0) } }
        for (tag, name, text) in named + otherTags.map({ (.comment, $0.key, $0.value) }) {
            guard container.tags.contains(tag) else {
                throw refusal(
                    "\(name) into \(container)", cause: "the format cannot store it",
                    remedy: "Leave it out, or choose FLAC, which stores all tags.")
            }
            guard !text.isEmpty, !text.unicodeScalars.contains("\0") else {
                throw refusal(name, cause: "it is empty, or contains a NUL character", remedy: "Give it some text.")
            }
            guard container.traits.tagText.bytes(of: text) != nil else {
                throw refusal(
                    "\(name) '\(text)' into \(container)", cause: "libsndfile stores it as Latin-1 only",
                    remedy: "Use Latin letters, or choose Opus or FLAC.")
            }
        }
        let largestTags = container.traits.largestTags
        guard tagByteCount <= largestTags else {
            throw refusal(
                "\(tagByteCount) bytes of tags into \(container)",
                cause: "its header holds at most \(largestTags)",
                remedy: "Shorten them, or choose FLAC.")
        }
        guard isBroadcastWave != true || container.hasBroadcastInfo else {
            throw refusal(
                "a broadcast chunk into \(container)", cause: "the format cannot store it",
                remedy: "Leave it out, or choose WAV or RF64.")
        }
        guard guano == nil || container.hasBroadcastInfo else {
            throw refusal(
                "GUANO metadata into \(container)", cause: "GUANO defines no place in it",
                remedy: "Choose WAV or RF64, or leave it out, for this output alone by 'guano=no'.")
        }
    }

    /// The size of the tags as given.
    var tagByteCount: Int {
        tags.values.reduce(0) { $0 + $1.utf8.count }
            + otherTags.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 3 } + (guano?.byteCount ?? 0)
    }

    /// Throws an error if files are so small that the tags leave little room.
    func check(_ splitting: SplittingPolicy) throws(ACCAudioRecorderError) {
        guard let size = splitting.fileSize, tagByteCount > size / 4 else { return }
        throw refusal(
            "\(tagByteCount) bytes of tags into each file of \(size) bytes",
            cause: "that leaves too little room for samples",
            remedy: "Shorten the tags, or split into larger files.")
    }

    /// Checks the sample rate, the channels and what depends on them.
    ///
    /// - Parameter encoding: The encoding of the samples passed to the container.
    func check(_ form: StreamFormat, encoding: SampleEncoding) throws(ACCAudioRecorderError) {
        let (rate, count) = (form.sampleRate, form.channelCount)
        let lossless = "or FLAC or WAV, which support others"
        let mostChannels = container.traits.channelCounts.upperBound
        guard count <= mostChannels else {
            throw refusal(
                "\(count) channels as \(container)", cause: "it supports at most \(mostChannels)",
                remedy: "Choose up to \(mostChannels) channels, or WAV, which supports up to 32.")
        }
        if let rates = container.traits.sampleRates, !rates.contains(rate) {
            throw refusal(
                "\(rate) Hz as \(container)", cause: "the format does not support it",
                remedy: "Choose a rate of \(Self.list(rates)) Hz, \(lossless).")
        }
        guard rate <= container.traits.highestSampleRate else {
            throw refusal(
                "\(rate) Hz as \(container)", cause: "the format does not support it",
                remedy: "Choose a rate up to \(container.traits.highestSampleRate) Hz, \(lossless).")
        }
        if case .bitRate(let bitRate)? = compression {
            let rates = container.bitRates(of: form)
            guard rates.contains(bitRate) else {
                throw refusal(
                    "\(bitRate) kbit/s as \(container) with \(count) channel\(count == 1 ? "" : "s") at \(rate) Hz",
                    cause: "the format does not support it", remedy: "Choose \(Self.list(rates)) kbit/s.")
            }
        }
        // Also asks libsndfile, except for raw samples.
        guard var info = container.soundFileInfo(encoding: encoding, form: form), sf_format_check(&info) == 0 else {
            return
        }
        throw refusal(
            "\(encoding) with \(count) channels at \(rate) Hz as \(container)", cause: "the format does not support it",
            remedy: "Choose WAV, which supports all encodings, channels and rates.")
    }

    /// Throws an error if the container would damage a channel: lossy codecs that know loudspeaker layouts keep only
    /// the low frequencies of the channel in the place of the low-frequency channel.
    func check(_ layout: ChannelLayout) throws(ACCAudioRecorderError) {
        guard container.isLossy, layout.isMisplaced, layout.map.count > 5 else { return }
        throw refusal(
            "\(layout.map) as \(container)",
            cause: "its layouts for that many channels are different, with a low-frequency channel",
            remedy: "Choose FLAC or WAV, or name the channels.", recoveryOption: .nameChannels)
    }

    private func refusal(
        _ what: String, cause: String, remedy: String,
        recoveryOption: ACCAudioRecorderError.Failure.RecoveryOption? = nil
    ) -> ACCAudioRecorderError {
        .outputFailed(
            .init(
                .invalidFormat, "cannot write \(what)", cause: cause, remedy: remedy, recoveryOption: recoveryOption))
    }

    /// `a, b or c`; for many consecutive numbers, the first and the last.
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

// Checks that the outputs of a recording are different files.

extension RecordingOutput {
    /// Throws an error for two outputs with the same file, and for an output with a reserved path.
    ///
    /// - Parameter reserved: Paths of files that no output may overwrite.
    static func checkPlaces(of outputs: [RecordingOutput], reserved: [String]) throws(ACCAudioRecorderError) {
        guard outputs.count > 1 || !reserved.isEmpty else { return }
        let reserved = Set(reserved.flatMap(FileKey.keys))
        var owners: [FileKey: RecordingOutput.Destination] = [:]
        for (index, output) in outputs.enumerated() {
            let isRepeated = outputs[..<index].contains { $0.destination == output.destination }
            let keys = output.destination.keys
            let owner = isRepeated ? output.destination : keys.compactMap { owners[$0] }.first
            if let owner {
                let cause =
                    owner == output.destination ? "two outputs go to the same place" : "\(owner) is the same file"
                throw Self.conflict("cannot record to \(output.destination) twice", cause: cause)
            }
            guard reserved.isDisjoint(with: keys + output.destination.markerKeys) else {
                throw Self.conflict(
                    "cannot record to \(output.destination)",
                    cause: "the program itself uses it, or its marker file")
            }
            for key in keys { owners[key] = output.destination }
        }
        for output in outputs {
            guard let owner = output.destination.markerKeys.compactMap({ owners[$0] }).first else { continue }
            throw Self.conflict(
                "cannot record to \(owner)", cause: "the marker file of \(output.destination) has that name")
        }
    }

    private static func conflict(_ what: String, cause: String) -> ACCAudioRecorderError {
        .outputFailed(.init(.invalidFormat, what, cause: cause, remedy: "Give each its own file."))
    }
}

extension RecordingOutput.Destination {
    /// Whether it is a descriptor, or an existing named pipe or device.
    package var isStream: Bool {
        switch self {
        case .file(let path): OutputPlace.isStream(path)
        case .descriptor: true
        case .pattern: false
        }
    }

    /// The keys of the first file; empty if its name is chosen later.
    package var keys: [FileKey] {
        switch self {
        case .file(let path): FileKey.keys(ofPath: path)
        case .descriptor(let number): FileKey.keys(ofDescriptor: number)
        case .pattern: []
        }
    }

    /// The keys of the marker sidecar of the first file.
    package var markerKeys: [FileKey] {
        guard case .file(let path) = self else { return [] }
        return FileKey.keys(ofPath: MarkerSidecar.path(besides: path))
    }
}
