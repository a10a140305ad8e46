import ACCAudioRecorder

/// The list of sources as `accrec devices` prints it: two lines a source.
struct DeviceTable {
    let sources: [AudioSource]

    var text: String {
        sources.map { source in
            let mark = source.isDefault ? "*" : " "
            let kind = source.isMonitor ? "  [monitor]" : ""
            return "\(mark) \(source.name)\(kind)\n    \(source.description): \(source.sampleSpec)\n"
        }.joined()
    }
}
