import ACCAudioRecorder

extension ACCAudioRecorder.Configuration {
    /// What the command line asks for.
    ///
    /// - Parameter output: The first one; what it has of its own is the take's, where that has not been given.
    init(_ take: TakeOptions, for output: OutputArgument?) {
        let (source, format, trouble) = (take.source, take.format, take.trouble)
        let rate = format.rate ?? output?.rate
        let channels = format.channels ?? output?.channels
        self.init(
            sampleRate: rate?.number.map(Double.init), channelCount: channels?.number.map(UInt32.init),
            bufferSize: format.bufferSize.map(UInt32.init), audioSessionMode: format.mode,
            resamplerQuality: format.quality, selectedChannels: source.select?.numbers ?? [],
            channelMap: source.channelMap, sourceName: source.device,
            serverName: source.server.name,
            interruptions: InterruptionPolicy(
                onDisconnect: trouble.onDisconnect, timeout: trouble.interruptionTimeout?.seconds ?? 60,
                fillsGaps: trouble.fillGaps, onCall: trouble.onCall, followsDefault: source.followDefault),
            splitting: take.split.policy,
            allowsBluetooth: source.allowBluetooth, allowsMonitor: source.allowMonitor)
        if case .native = rate { native.insert(.sampleRate) }
        if case .native = channels { native.insert(.channelCount) }
    }
}
