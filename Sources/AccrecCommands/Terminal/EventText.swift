import ACCAudioRecorder

/// What happens to a take, as it is told while the take runs; nothing for what needs no telling.
struct EventText {
    let event: RecordingEvent

    /// Whether it was asked for and went well, so that a take that is to be quiet says nothing of it.
    var isRoutine: Bool {
        switch event {
        case .marker, .newFile, .fileRemoved: true
        default: false
        }
    }

    var text: String? {
        switch event {
        case .gap(let gap):
            let filled = gap.isFilled ? ", silence stands in their place" : ""
            return "\(gap.framesLost) frames of the source are missing, for \(gap.cause)\(filled)."
        case .deviceLost(let source): return "the device of '\(source.description)' is gone."
        case .deviceReturned(let source): return "the device of '\(source.description)' is back."
        case .portChanged(let source):
            let port = source.port.map { "'\($0)'" } ?? "no port"
            return "the sound of '\(source.description)' comes in by \(port) now"
                + (source.isAvailable ? "." : ", where nothing is plugged in.")
        case .interrupted(let interruption):
            return "the take is interrupted: \(InterruptionText(interruption: interruption).text)."
        case .fellBack(_, let source): return "the take goes on with '\(source.description)' instead."
        case .switchFailed(let error): return "\(error)"
        case .resumed(let source): return "recording from '\(source.description)' (\(source.sampleSpec))."
        // A reader that closes a pipe has had enough.
        case .outputEnded(_, let error): return error.isOfReader ? nil : "\(error)"
        case .warning(let warning): return "\(warning)"
        case .marker(let marker): return "marker '\(marker.label)' at \(TimeText.clock(marker.time, decimals: 3))."
        case .newFile(let path, _): return "the take goes on in '\(path)'; the file before is complete."
        case .fileRemoved(let path): return "'\(path)' is removed, for newer files are kept."
        case .started, .fileCreated, .firstFrame, .paused, .brokeOff, .limitReached, .finished: return nil
        }
    }
}
