import ACCAudioRecorder

/// Draws the level meter on standard error for as long as a recording sends levels.
///
/// The line is rewritten in place, in one write, at most twenty times a second, and cleared at the end. No
/// mode of the terminal is changed.
struct LevelMeterView {
    private static let shortestInterval = Duration.milliseconds(50)

    let levels: AsyncStream<RecordingLevels>

    func run() async {
        var hold = PeakHold()
        var lastDrawn = ContinuousClock.now - Self.shortestInterval
        for await level in levels {
            hold.update(level)
            guard ContinuousClock.now - lastDrawn >= Self.shortestInterval else { continue }
            lastDrawn = .now
            let line = MeterLine(levels: level, hold: hold)
            // Room for the `^C` that the terminal echoes: if it wrapped, the row above would stay.
            StandardError.write("\r\(line.text(columns: max(StandardError.columns - 3, 1)))\u{1B}[K")
        }
        StandardError.write("\r\u{1B}[K")
    }
}
