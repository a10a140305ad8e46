import ACCAudioRecorder

extension ACCAudioRecorder.Configuration {
    /// What the command line asks for.
    init(_ take: TakeOptions) {
        let (source, format, trouble) = (take.source, take.format, take.trouble)
        self.init(
            sampleRate: format.rate?.number.map(Double.init), channelCount: format.channels?.number.map(UInt32.init),
            bufferSize: format.bufferSize.map(UInt32.init), audioSessionMode: format.mode,
            resamplerQuality: format.quality, selectedChannels: source.select?.numbers ?? [],
            channelMap: source.channelMap, sourceName: source.device,
            interruptions: InterruptionPolicy(
                onDisconnect: trouble.onDisconnect, timeout: trouble.interruptionTimeout?.seconds ?? 60,
                fillsGaps: trouble.fillGaps, onCall: trouble.onCall, followsDefault: source.followDefault),
            allowsBluetooth: source.allowBluetooth, allowsMonitor: source.allowMonitor)
        if case .native = format.rate { native.insert(.sampleRate) }
        if case .native = format.channels { native.insert(.channelCount) }
    }
}
