import ACCAudioRecorder
import ArgumentParser
import Glibc

/// Asks on the terminal, before a recording, what to do about outputs that exist already.
struct ExistingFiles {
    let link: TerminalSupervisor.JobLink?
    let signals: JobSignals

    private enum Answer {
        case replace, rename, stop
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
            let keys = KeyTable<Answer>([
                .init("r", does: .replace, help: "replaces it"),
                .init("n", does: .rename, help: "records to '\(other)'"),
                .init(named: "any other key", does: .stop, help: "stops"),
            ])
            let question = "'\(path)' exists: \(keys.helpTexts.joined(separator: ", "))"
            switch keys[try await answer(to: question)] {
            case .replace: outputs[index].replacesExisting = true
            case .rename: outputs[index].destination = .file(path: other)
            case .stop, nil:
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
    private func answer(to question: String) async throws -> KeyPress {
        let (answers, answered) = AsyncStream.makeStream(of: Result<KeyPress, ExitCode>.self)
        let job = JobControl(Question(text: question), signals.requests, link: link)
        await job.begin {
            answered.yield(.success($0))
        } obey: {
            if case .finish(let number) = $0 { answered.yield(.failure(ExitCode(128 + number))) }
        }
        await job.acquireTerminal()
        let answer = await answers.first { _ in true }
        await job.end()
        if case .failure = answer { StandardError.tell("ended before the recording began") }
        return try answer?.get() ?? .end
    }

    private struct Question: JobControl.Screen {
        let text: String

        func show(hasKeys: Bool) { StandardError.tell(text) }
        func hide() {}
        func redraw() {}
    }
}
