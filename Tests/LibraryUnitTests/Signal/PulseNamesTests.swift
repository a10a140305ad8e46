import CPulse
import Testing

@testable import ACCAudioRecorder

/// The library's own names and scales match libpulse's.
struct PulseNamesTests {
    @Test("Each sample format has libpulse's name", arguments: SampleFormat.allCases)
    func sampleFormats(format: SampleFormat) {
        #expect(format.pulseName == String(cString: pa_sample_format_to_string(format.pulse)))
    }

    @Test("Exactly the positions known to libpulse are known")
    func positions() {
        for number in -1..<Int32(PA_CHANNEL_POSITION_MAX.rawValue) + 2 {
            let position = pa_channel_position_t(number)
            let name = pa_channel_position_to_string(position).map { String(cString: $0) }
            #expect(ChannelPosition(pulse: position)?.rawValue == name)
        }
        for name in ["left", "right", "center", "subwoofer", "aux32", "front", "", "Mono"] {
            let position = pa_channel_position_from_string(name)
            let known = pa_channel_position_to_string(position).map { String(cString: $0) }
            #expect(ChannelPosition(rawValue: name)?.rawValue == known, "\(name)")
        }
    }

    @Test(
        "A channel map is parsed as by libpulse",
        arguments: [
            "mono", "stereo", "surround-21", "surround-40", "surround-41", "surround-50", "surround-51", "surround-71",
            "surround-99", "left,right,lfe", "front-left", "front-left,", "", ",", "aux0,aux0,top-center",
            "left,nowhere",
            Array(repeating: "mono", count: 32).joined(separator: ","),
            Array(repeating: "mono", count: 33).joined(separator: ","),
        ])
    func channelMaps(names: String) {
        var map = pa_channel_map()
        let known = pa_channel_map_parse(&map, names) == nil ? nil : ChannelMap(pulse: map)
        #expect(ChannelMap(names: names) == known)
    }

    @Test(
        "A volume has the same decibels as in libpulse",
        arguments: [0, 1, 655, 32_768, 65_535, 65_536, 98_304] as [UInt32])
    func decibels(steps: UInt32) {
        let gain = SourceVolume(steps: [steps]).decibels[0]
        #expect(gain == pa_sw_volume_to_dB(steps) || abs(gain - pa_sw_volume_to_dB(steps)) < 1e-9)
    }
}
