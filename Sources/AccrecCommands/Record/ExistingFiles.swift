import ACCAudioRecorder
import ArgumentParser
import Glibc

/// Asks on the terminal, before a recording, what to do about outputs that exist already.
struct ExistingFiles {
    let link: SupervisorLink?
    let signals: JobSignals

    private enum Input: Sendable {
        case byte(UInt8)
        case request(JobSignals.Request)
    }

    /// The outputs, changed as the user answers: replacing the file, or with another name.
    ///
    /// - Throws: `ExitCode` if the user stops.
    func confirmed(_ outputs: [RecordingOutput]) async throws -> [RecordingOutput] {
        var outputs = outputs
        for (index, output) in outputs.enumerated() {
            guard let path = Self.existingPath(of: output) else { continue }
            let stem = PathStem(path)
            let other = stem.path(stem.firstFree(from: 2))
            switch try await answer(to: "'\(path)' exists: r replaces it, n records to '\(other)', any other key stops")
            {
            case UInt8(ascii: "r"), UInt8(ascii: "R"): outputs[index].replacesExisting = true
            case UInt8(ascii: "n"), UInt8(ascii: "N"): outputs[index].destination = .file(path: other)
            default:
                StandardError.tell("nothing was recorded")
                throw ExitCode(ExitStatus.cannotCreate.rawValue)
            }
        }
        return outputs
    }

    /// The path of a regular file that this output must not replace unasked.
    private static func existingPath(of output: RecordingOutput) -> String? {
        var status = stat()
        guard case .file(let path) = output.destination, !output.replacesExisting, stat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return path
    }

    /// The key that is pressed. Meanwhile Ctrl-Z and 'fg' work as usual.
    private func answer(to question: String) async throws -> UInt8 {
        // Ctrl-D is 4, and stops.
        let keyboard = Keyboard(end: UInt8(4)) { $0 }
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        let requests = signals.requests
        let tasks = [
            Task { for await key in keyboard.keys { continuation.yield(.byte(key)) } },
            Task { for await request in requests { continuation.yield(.request(request)) } },
        ]
        defer { for task in tasks { task.cancel() } }
        let ask = { @Sendable in await keyboard.begin { _ in StandardError.tell(question) } }
        await ask()
        for await input in inputs {
            switch input {
            case .byte(let byte):
                await keyboard.release()
                return byte
            case .request(.finish(let number)), .request(.quit(let number)):
                await keyboard.release()
                StandardError.tell("ended before the recording began")
                throw ExitCode(128 + number)
            case .request(.leave):
                await keyboard.release()
                link?.didReleaseTerminal()
            case .request(.comeBack): await ask()
            case .request: continue
            }
        }
        throw ExitCode(ExitStatus.failure.rawValue)
    }
}
