/// How a take goes, in a line for logs.
struct ProgressLine {
    /// How much of the take is between two of them, in seconds.
    static let interval = 5.0

    let status: TakeStatus

    var text: String {
        let held = status.channels.map(\.held).max() ?? -120
        var parts = [TimeText.clock(status.elapsed, decimals: 1)]
        if let byteCount = status.byteCount { parts.append(ByteText.short(byteCount)) }
        parts.append("peak \(DecibelText.short(held)) dBFS")
        parts.append("\(status.clippedCount) clipped")
        parts.append("\(status.gapCount) gap\(status.gapCount == 1 ? "" : "s")")
        if let room = status.room { parts.append("room for \(TimeText.rough(room))") }
        return parts.joined(separator: ", ")
    }
}
