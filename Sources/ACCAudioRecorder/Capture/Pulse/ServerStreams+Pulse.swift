import CPulse

extension RecordStream {
    /// Nil for a stream with another name or of another process.
    init?(pulse info: pa_source_output_info, ifStream name: String, ofProcess process: String) {
        let properties = PulseProperties(info.proplist)
        guard let stream = info.name, String(cString: stream) == name,
            properties[PA_PROP_APPLICATION_PROCESS_ID] == process
        else { return nil }
        self.init(pulse: info)
    }

    init(pulse info: pa_source_output_info) {
        index = info.index
        sourceIndex = info.source
        isMuted = info.mute != 0
        volume = info.has_volume != 0 ? SourceVolume(pulse: info.volume) : nil
        resampleMethod = Self.method(info.resample_method)
    }

    /// A resampling method; nil for the names that both servers give to methods that change nothing.
    fileprivate static func method(_ name: UnsafePointer<CChar>?) -> String? {
        let method = name.map { String(cString: $0) }
        return method.flatMap { ["", "n/a", "copy", "trivial", "PipeWire"].contains($0) ? nil : $0 }
    }
}

extension ApplicationStream {
    /// Nil for a stream of the server itself, such as a loopback.
    init?(pulse info: pa_sink_input_info) {
        let properties = PulseProperties(info.proplist)
        owner = StreamOwner(properties)
        guard owner.name != nil || owner.binary != nil else { return nil }
        index = info.index
        title = properties[PA_PROP_MEDIA_NAME] ?? info.name.map { String(cString: $0) } ?? ""
        sinkIndex = info.sink
        isPaused = info.corked != 0
        isMuted = info.mute != 0
        volume = info.has_volume != 0 ? SourceVolume(pulse: info.volume) : nil
        sampleSpec = SampleSpec(pulse: info.sample_spec)
        resampleMethod = RecordStream.method(info.resample_method)
    }
}

extension StreamOwner {
    init(_ properties: PulseProperties) {
        name = properties[PA_PROP_APPLICATION_NAME]
        binary = properties[PA_PROP_APPLICATION_PROCESS_BINARY]
        processID = properties[PA_PROP_APPLICATION_PROCESS_ID]
    }
}

extension CallStream {
    /// The roles that programs on PulseAudio and PipeWire give to calls.
    private static let roles: Set = ["phone", "Communication"]

    /// Nil for a stream that is not a call's, or that belongs to this process.
    init?(playback info: pa_sink_input_info, exceptOfProcess process: String) {
        self.init(info.index, isPlayback: true, PulseProperties(info.proplist), process)
    }

    /// Nil for a stream that is not a call's, or that belongs to this process.
    init?(record info: pa_source_output_info, exceptOfProcess process: String) {
        self.init(info.index, isPlayback: false, PulseProperties(info.proplist), process)
    }

    private init?(_ index: UInt32, isPlayback: Bool, _ properties: PulseProperties, _ process: String) {
        guard let role = properties[PA_PROP_MEDIA_ROLE], Self.roles.contains(role),
            properties[PA_PROP_APPLICATION_PROCESS_ID] != process
        else { return nil }
        self.index = index
        self.isPlayback = isPlayback
        owner = StreamOwner(properties)
    }
}

/// A view of one of libpulse's property lists, valid as long as the list.
struct PulseProperties {
    private let list: OpaquePointer?

    /// - Parameter list: nil for an empty list.
    init(_ list: OpaquePointer?) {
        self.list = list
    }

    /// The value of a property; nil if there is none or it is not text.
    subscript(name: String) -> String? {
        guard let list, let value = pa_proplist_gets(list, name) else { return nil }
        return String(cString: value)
    }
}
