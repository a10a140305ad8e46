import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec`: the root of the commands.
public struct AccrecCommand: AsyncParsableCommand {
    /// Name, abstract, version and subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "accrec",
        abstract: "Record takes that cannot be repeated, from PulseAudio or PipeWire.",
        discussion: """
            Record a minute from the default microphone:
              accrec record -o take.wav --max 60
            Pipe speech to a recogniser:
              accrec record -o - --mode voice-chat --encoding f32 | recogniser
            See what there is to record from:
              accrec devices
            """,
        version: "accrec 0.1.0",
        subcommands: [RecordCommand.self, DevicesCommand.self])

    /// Made by the argument parser.
    public init() {}

    /// Parses the command line, runs the command and exits with its status: 0 as asked, 64 for a mistake on
    /// the command line, 1 for any other failure. A failure is one line on standard error.
    public static func runAndExit() async -> Never {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            Glibc.exit(EXIT_SUCCESS)
        } catch let status as ExitCode {
            Glibc.exit(status.rawValue)
        } catch let error as ACCAudioRecorderError {
            StandardError.write("accrec: \(error)\n")
            Glibc.exit(EXIT_FAILURE)
        } catch  where exitCode(for: error) == .success {
            // Help or version, as asked for.
            print(fullMessage(for: error))
            Glibc.exit(EXIT_SUCCESS)
        } catch {
            StandardError.write("accrec: \(oneLine(message(for: error)))\n")
            Glibc.exit(exitCode(for: error).rawValue)
        }
    }

    /// The parser lists the values of an option a line each.
    private static func oneLine(_ message: String) -> String {
        message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
