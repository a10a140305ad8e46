import ACCAudioRecorder

/// Words the library's errors for the command line, naming the options that help.
enum ErrorText {
    /// What failed, why, and what to do.
    static func line(_ error: any Error) -> String {
        guard let failure = (error as? ACCAudioRecorderError)?.failure else { return "\(error)" }
        return text(failure) + failure.completion
    }

    /// The same below a list of what may be named instead.
    static func lineBelowList(_ error: any Error) -> String {
        guard let failure = (error as? ACCAudioRecorderError)?.failure, !failure.choices.isEmpty else {
            return line(error)
        }
        return text(failure) + " these."
    }

    /// The same for people: what may be named instead has a line each.
    static func lines(_ error: any Error) -> [String] {
        guard let failure = (error as? ACCAudioRecorderError)?.failure, !failure.choices.isEmpty else {
            return [line(error)]
        }
        let listed = failure.choices.prefix(ACCAudioRecorderError.Failure.listedChoices)
        let rest = failure.choices.count - listed.count
        let more = failure.recoveryOption.map { _ in ": accrec devices" } ?? ""
        return ["\(text(failure)):"] + listed.map { "\($0.details) (\($0.name))" }
            + (rest > 0 ? ["\(rest) more\(more)"] : [])
    }

    private static func text(_ failure: ACCAudioRecorderError.Failure) -> String {
        "\(failure.what): \(failure.cause). \(failure.recoveryOption.flatMap(remedy) ?? failure.advice)"
    }

    /// The problem and what to do.
    static func line(_ warning: RecordingWarning) -> String {
        switch warning {
        case .output(let error): line(error)
        case .leftBehind:
            "\(warning.problem). Rename it to keep it, or remove it. 'accrec repair' makes it playable if it does not "
                + "open."
        case .channelsMisplaced: "\(warning.problem). Use CAF, or name the channels with --channel-map."
        default: "\(warning)"
        }
    }

    /// Nil if the library's advice needs no option.
    private static func remedy(_ option: ACCAudioRecorderError.Failure.RecoveryOption) -> String? {
        switch option {
        case .nameSource: return nil
        case .nameInputs(let names):
            return "--inputs '\(names.joined(separator: ","))' records each; or name one of"
        case .replaceFile: return "Use another name, or --force to replace it."
        case .createDirectory: return "Use --mkdir to create it, or another directory."
        case .allowDelay:
            return "Use a faster reader, or a larger --stdout-buffer, or another --stdout-overflow."
        case .chooseContainer: return "Choose another format; 'accrec formats' lists them."
        case .nameChannels: return "Choose FLAC or WAV, or name the channels with --channel-map."
        case .repairFile(let path): return "'accrec repair' may recover what is in '\(path)'."
        case .repairInPlace: return "Use another name, or --in-place to repair the file itself."
        case .nameApplication:
            return "'accrec devices --apps' lists what plays; --interruption-timeout sets how long a recording waits."
        case .allowSources(let bluetooth, let monitor):
            let options = [bluetooth ? "--allow-bluetooth" : nil, monitor ? "--allow-monitor" : nil].compactMap(\.self)
            return "Plug in a microphone, give \(options.joined(separator: " or ")), or name one of"
        }
    }
}
