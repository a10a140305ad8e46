import Foundation
import TestSupport
import Testing

/// Runs the commands of the documentation as written there, but for shorter times.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CookbookTests {
    @Test(
        "Each cookbook recipe and each systemd unit does what the documentation says", arguments: ServerKind.allCases)
    func recipes(kind: ServerKind) async throws {
        let recipes = Dictionary(uniqueKeysWithValues: try Recipe.all().map { ($0.name, $0.command) })
        let trials = try RecipeTrial.all()
        try #require(Set(recipes.keys) == Set(trials.map(\.name)))
        try await PrivateServer.withRoom(kind) { server in
            // What a recipe plays is not heard by the microphone of the others. A stream in the room would follow the default.
            try await server.loadNullSink("headphones")
            try await server.pactl("set-default-sink", "headphones")
            try await server.makeMicrophone("desk", hearing: "room")
            try await server.makeMicrophone("lamp", hearing: "room")
            try await server.setDefaultSource("desk")
            try await Player.with(.tone(peak: -6), into: "room", on: server) { _ in
                // Most of the time is spent recording, so run several at once.
                try await trials.concurrentForEach(atMost: 3) { trial in
                    try await Self.attempt(trial, of: recipes[trial.name, default: ""], on: server)
                }
            }
        }
    }

    private static func attempt(_ trial: RecipeTrial, of recipe: String, on server: PrivateServer) async throws {
        var command = recipe
        for (text, substitute) in trial.substitutes {
            #expect(command.contains(text), "\(trial.name): '\(text)'")
            command = command.replacing(text, with: substitute)
        }
        let directory = server.file(trial.name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let tone = Signal.sine(frequency: 700, peak: -6, rate: 48_000, channels: 1, frames: 2 * 48_000)
        let talk = PCMFile(rate: 48_000, channels: 1, Signal.int16(tone))
        try talk.write(wav: directory.appending(path: "talk.wav"))
        let environment = try AccrecProcess.inPath(of: server.environment).merging(["HOME": directory.path]) { $1 }
        let printed = try await run(command, as: trial, environment, in: directory, on: server)
        #expect(try Regex(trial.prints).wholeMatch(in: printed) != nil, "\(trial.name): \(printed)")
        try await check(soundFiles(in: directory), in: directory, trial)
    }

    /// Runs a recipe to its end.
    ///
    /// - Returns: Its output.
    private static func run(
        _ command: String, as trial: RecipeTrial, _ environment: [String: String], in directory: URL,
        on server: PrivateServer
    ) async throws -> String {
        let result: ProcessResult
        switch trial.course {
        case .byItself:
            result = try await ChildProcess.run(
                ["sh", "-c", command], environment: environment, in: directory, within: 30)
        case .interrupted(let filesSeen):
            // Signal the program, not the shell.
            let shell = ["sh", "-c", "exec \(command)"]
            result = try await ChildProcess.with(shell, environment: environment, in: directory) { process in
                var firstSizes: [String: Int] = [:]
                try await eventually("\(filesSeen) files: \(process.standardError)", within: 20) {
                    let sizes = soundFiles(in: directory).map { ($0, size(of: directory.appending(path: $0))) }
                    firstSizes.merge(sizes) { first, _ in first }
                    guard process.isRunning else { return true }
                    guard let (last, size) = sizes.last, let first = firstSizes[last] else { return false }
                    return firstSizes.count >= filesSeen && size > first && sizes.count <= trial.files.count
                }
                process.signal(SIGINT)
                return try await process.wait(within: 20)
            }
        case .read(let texts):
            return try await read(texts, command, environment, in: directory, on: server)
        }
        #expect(result.end == .exit(0), "\(command): \(result.standardError)")
        return result.text
    }

    /// Runs a recipe that asks for key presses, in a terminal.
    private static func read(
        _ texts: Int, _ command: String, _ environment: [String: String], in directory: URL, on server: PrivateServer
    ) async throws -> String {
        try Data(command.utf8).write(to: directory.appending(path: "recipe"))
        try await TmuxTerminal.with(on: server, environment: environment) { terminal in
            try await terminal.enter("cd '\(directory.path)'; clear; sh recipe; echo status $?")
            for text in 1...texts {
                let isShown = { (screen: [String]) in screen.contains { $0.contains("\(text)/\(texts) ") } }
                try await terminal.waitForScreen("text \(text)") {
                    isShown($0) && $0.last?.hasPrefix("space records") == true
                }
                try await terminal.press("Space")
                try await terminal.waitForRecording(of: 0.6)
                try await terminal.press("Space")
                try await terminal.waitForScreen("the end of recording \(text)") {
                    $0.last?.hasPrefix("space continues") == true
                }
                try await terminal.press("Space")
            }
            try await terminal.waitForScreen("the end") { $0.contains("status 0") }
        }
        return ""
    }

    // MARK: - Results

    /// The sorted names of the sound files, without the one that existed before.
    private static func soundFiles(in directory: URL) -> [String] {
        let names = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.contains(#/\.(wav|flac|opus|m4a)$/#) && $0 != "talk.wav" }.sorted()
    }

    /// In bytes; 0 if the file does not exist.
    private static func size(of file: URL) -> Int {
        (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
    }

    private static func check(_ names: [String], in directory: URL, _ trial: RecipeTrial) async throws {
        try #require(names.count == trial.files.count, "\(trial.name): \(names)")
        for (name, expected) in zip(names, trial.files) {
            #expect(try Regex(expected.name).wholeMatch(in: name) != nil, "\(trial.name): \(name)")
            let file = try await decoded(directory.appending(path: name))
            #expect(file.rate == expected.rate && file.channels == expected.channels, "\(trial.name): \(name)")
            #expect(expected.frames.contains(file.frames), "\(trial.name): \(file.frames) frames of \(name)")
            // A file that was begun just before the end may be nearly empty.
            guard expected.frames.lowerBound > 1 else { continue }
            let sound = Array(file.channel(0).dropFirst(file.frames / 2).prefix(expected.rate / 5))
            let tone = Tone(in: sound, rate: file.rate, near: expected.frequency)
            #expect(abs(tone.frequency / expected.frequency - 1) < 0.001, "\(trial.name): \(tone.frequency) Hz")
            #expect(tone.peak > -8 && tone.residual < -30, "\(trial.name): \(tone.peak), \(tone.residual)")
        }
    }

    /// The file as decoded by ffmpeg.
    private static func decoded(_ file: URL) async throws -> PCMFile {
        let wav = file.appendingPathExtension("decoded")
        let command = ["ffmpeg", "-loglevel", "error", "-i", file.path, "-c:a", "pcm_f32le", "-f", "wav", wav.path]
        let result = try await ChildProcess.run(command, within: 20)
        #expect(result.end == .exit(0), "\(result.standardError)")
        return try PCMFile(wav: wav)
    }
}
