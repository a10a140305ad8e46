import CPulse
import Testing

@testable import ACCAudioRecorder

/// Invalid source descriptions from a faulty server.
@Suite struct AudioSourceTests {
    static let faults: [(String, @Sendable (inout pa_source_info) -> Void)] = [
        ("0 Hz, 2 channels", { $0.sample_spec.rate = 0 }),
        ("4294967295 Hz", { $0.sample_spec.rate = .max }),
        ("48000 Hz, 0 channels", { $0.sample_spec.channels = 0 }),
        ("33 channels", { $0.sample_spec.channels = 33 }),
        ("sample format 99", { $0.sample_spec.format = pa_sample_format_t(99) }),
        ("a channel map of 1 positions for 2 channels", { $0.channel_map.channels = 1 }),
        ("a channel map of 2 positions", { $0.channel_map.map.1 = pa_channel_position_t(200) }),
    ]

    @Test(
        "F-03: a source that cannot be captured is rejected with its name and the server's description",
        arguments: faults)
    func aFaultyServerIsNoTrap(fault: (stated: String, make: @Sendable (inout pa_source_info) -> Void)) throws {
        var info = pa_source_info()
        info.sample_spec = pa_sample_spec(format: PA_SAMPLE_S16LE, rate: 48_000, channels: 2)
        pa_channel_map_init_stereo(&info.channel_map)
        pa_cvolume_set(&info.volume, 2, pa_volume_t(PA_VOLUME_NORM))
        try "near".withCString { name in
            info.name = name
            #expect(throws: Never.self) { try AudioSource.read(info).get() }
            fault.make(&info)
            let unusable = #expect(throws: UnusableSource.self) { try AudioSource.read(info).get() }
            let selection = SourceSelection(sources: [], unusable: [try #require(unusable)], defaultSinkName: nil)
            let error = #expect(throws: ACCAudioRecorderError.self) { try selection.source(requested: "near") }
            #expect(error?.failure?.reason == .invalidFormat)
            #expect(error?.description.contains(fault.stated) == true, "\(error?.description ?? "")")
        }
    }
}
