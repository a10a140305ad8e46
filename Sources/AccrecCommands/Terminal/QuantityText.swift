import ACCAudioRecorder
import Glibc

/// Formats times. A damaged file may state any: those beyond 30,000 years, and those below 0, are cut off there.
enum TimeText {
    private static let longest = 1e12

    /// The current local date and time: `2026-11-21 18:05:09`.
    static func now() -> String { dateAndTime(of: time(nil)) }

    /// The local date and time of an instant, in seconds since 1970.
    static func dateAndTime(of instant: Int) -> String {
        var instant = instant
        var local = tm()
        localtime_r(&instant, &local)
        return String(unsafeUninitializedCapacity: 32) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress!, $0.count, "%F %T", &local) }
        }
    }

    /// The local time of an instant, in seconds since 1970: `18:05:09`.
    static func timeOfDay(of instant: Int) -> String { String(dateAndTime(of: instant).suffix(8)) }

    /// A duration as `0:07.5`, `12:34.5` or `1:02:03.5`, with hours only if there are any.
    ///
    /// - Parameter decimals: 1 to 3; further digits are cut off, as on a clock.
    static func clock(_ seconds: Double, decimals: Int) -> String {
        let seconds = limited(seconds)
        let units = decimals == 1 ? 10 : decimals == 2 ? 100 : 1000
        let ticks = Int((seconds * Double(units)).rounded(.down))
        let whole = ticks / units
        let minutes = whole / 60 % 60
        // Concatenated in pieces because such short strings need no allocation.
        let tail = ":" + padded(whole % 60, to: 2) + "." + padded(ticks % units, to: decimals)
        return whole < 3600 ? String(minutes) + tail : String(whole / 3600) + ":" + padded(minutes, to: 2) + tail
    }

    /// A growing or shrinking duration as on a clock with tenths; in milliseconds while it is shorter than a tenth of a
    /// second, so that something is never shown as nothing.
    static func progress(_ seconds: Double) -> String {
        (0.0005..<0.1).contains(seconds) ? length(seconds) : clock(seconds, decimals: 1)
    }

    /// A remaining time in whole seconds: `0:07`, `1:02:03`.
    static func countdown(_ seconds: Int) -> String {
        String(clock(Double(seconds), decimals: 1).dropLast(2))
    }

    /// A rough duration, rounded down: `45 s`, `12 min`, `7 h`, `3 days`.
    static func rough(_ seconds: Double) -> String {
        let whole = Int(limited(seconds))
        return switch whole {
        case ..<120: "\(whole) s"
        case ..<7_200: "\(whole / 60) min"
        case ..<172_800: "\(whole / 3_600) h"
        default: "\(whole / 86_400) days"
        }
    }

    /// How long something lasted, as in a message: `12 ms`, `5.0 s`, or above a minute as on a clock.
    static func length(_ seconds: Double) -> String {
        let seconds = limited(seconds)
        let milliseconds = Int((seconds * 1000).rounded())
        if seconds > 0, milliseconds == 0 { return "0.\(max(Int((seconds * 10_000).rounded()), 1)) ms" }
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        guard seconds < 59.95 else { return clock(seconds, decimals: 1) }
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// 0 for NaN, which `max` passes on only from its first argument.
    private static func limited(_ seconds: Double) -> Double { min(max(0, seconds), longest) }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    }
}

/// Formats sizes.
enum ByteText {
    private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]

    /// At most three digits, in powers of 1000: `512 B`, `1.2 MB`.
    static func short(_ count: Int) -> String {
        var value = Double(count)
        var index = 0
        while value >= 999.5, index < units.count - 1 {
            value /= 1000
            index += 1
        }
        let isWhole = index == 0 || value >= 9.95
        let tenths = Int((value * 10).rounded())
        let number = isWhole ? String(Int(value.rounded())) : String(tenths / 10) + "." + String(tenths % 10)
        return number + " " + units[index]
    }
}

/// Formats levels.
enum DecibelText {
    /// The level that is measured where all samples are zero, in dBFS.
    static let silence: Float = -120

    /// With one decimal, `-18.2`; `−∞` for digital silence; `inf` or `nan` if not finite.
    static func short(_ decibels: Float, _ glyphs: TerminalStyle.Glyphs) -> String {
        if decibels <= silence { return glyphs.minusInfinity }
        guard decibels.isFinite else { return "\(decibels)" }
        let tenths = Int((decibels * 10).rounded())
        return (tenths < 0 ? "-" : "") + String(abs(tenths) / 10) + "." + String(abs(tenths) % 10)
    }
}

extension SampleSpec {
    /// In short: `48000 Hz 2 ch s16le`.
    var shortDescription: String { "\(sampleRate.plain) Hz \(channelCount) ch \(format.pulseName)" }
}
