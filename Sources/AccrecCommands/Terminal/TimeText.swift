import Glibc

/// Times for people.
enum TimeText {
    /// Date and time of day, local: `2026-11-21 18:05:09`.
    static func now() -> String { dateAndTime(of: time(nil)) }

    /// The same of another time, in seconds since 1970.
    static func dateAndTime(of instant: Int) -> String {
        var instant = instant
        var local = tm()
        localtime_r(&instant, &local)
        return String(unsafeUninitializedCapacity: 32) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress!, $0.count, "%F %T", &local) }
        }
    }

    /// `0:07.5`, `12:34.5`, `1:02:03.5`: hours only where there are any.
    ///
    /// - Parameter decimals: 1 to 3; what is beyond is cut off, as on a clock.
    static func clock(_ seconds: Double, decimals: Int) -> String {
        let units = decimals == 1 ? 10 : decimals == 2 ? 100 : 1000
        let ticks = Int((seconds * Double(units)).rounded(.down))
        let whole = ticks / units
        let minutes = whole / 60 % 60
        // Put together piece by piece: texts as short as these take no memory of their own then.
        let tail = ":" + padded(whole % 60, to: 2) + "." + padded(ticks % units, to: decimals)
        return whole < 3600 ? String(minutes) + tail : String(whole / 3600) + ":" + padded(minutes, to: 2) + tail
    }

    /// `45 s`, `12 min`, `7 h`, `3 days`: rounded down.
    static func rough(_ seconds: Double) -> String {
        let whole = Int(min(seconds, 1e12))
        return switch whole {
        case ..<120: "\(whole) s"
        case ..<7_200: "\(whole / 60) min"
        case ..<172_800: "\(whole / 3_600) h"
        default: "\(whole / 86_400) days"
        }
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    }
}
