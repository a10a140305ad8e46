import ACCAudioRecorder
import ArgumentParser
import Glibc

/// `accrec`: the root of the commands.
public struct AccrecCommand: AsyncParsableCommand {
    /// Name, abstract, version and subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "accrec",
        abstract: "Record takes that cannot be repeated, from PulseAudio or PipeWire.",
        version: "accrec \(ACCAudioRecorder.version)",
        subcommands: [
            RecordCommand.self, BatchCommand.self, MeterCommand.self, DevicesCommand.self, FormatsCommand.self,
            ConfigCommand.self,
            RepairCommand.self,
        ])

    /// Made by the argument parser.
    public init() {}

    /// What is said to somebody who gives no command.
    public func run() {
        print(
            """
            accrec records takes that cannot be repeated, from PulseAudio or PipeWire.

              accrec record -o take.wav              record the microphone until Ctrl-C
              accrec record -o take.wav --max 60     exactly a minute
              accrec record -o t.flac -m measurement everything as the source has it
              accrec record -o - --encoding f32 | recogniser
                                                     samples for another program
              accrec batch takes.toml                the takes that a file lists
              accrec meter                           see the level, and record nothing
              accrec devices                         what there is to record from
              accrec formats                         what there is to write
              accrec repair take.wav                 mend what a crash left behind

            accrec help record tells of each option, man accrec of all the rest.
            """)
    }

    /// The command that a command line names; nil where it names none.
    private static func named(in arguments: [String]) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == arguments.first }
    }

    /// The command of a command line.
    ///
    /// A subcommand is parsed by itself first: that saves a fifth of the time, for on the way from the root to a subcommand the
    /// parser makes all of its options once more. What cannot be parsed so, or asks for help, is parsed as a whole, which
    /// knows how to say it.
    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if let subcommand = named(in: arguments),
            let command = try? subcommand.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == subcommand
        {
            return command
        }
        return try parseAsRoot(arguments)
    }

    /// Parses the command line, runs the command and exits with its status: 0 as asked, 64 for a mistake on
    /// the command line, what ``ExitStatus`` says for any other failure. A failure is one line on standard error.
    ///
    /// To be called on the main thread, which from then on only takes signals: to leave it to libdispatch, as an
    /// asynchronous main does, costs 0.6 MiB of tables, by which it unwinds its stack.
    public static func runAndExit() -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            // Before it is parsed, which the process behind does anyway.
            if named(in: arguments) is any JobCommand.Type { try JobFront.standIfNeeded() }
            beginEarly(arguments)
            var command = try parsed(arguments)
            if let defaulted = command as? any DefaultedCommand {
                command = try defaulted.applyingDefaults(to: Array(arguments.dropFirst()))
            }
            run(command, of: arguments)
        } catch {
            exit(for: error, in: arguments)
        }
        Signals.take()
    }

    /// Begins what can go on while the command line is parsed, which takes as long as all else until the first frame: where
    /// a source is to be captured, a connection is made, and the first of the threads that run tasks comes up. A
    /// connection to another server than the take's is left alone.
    private static func beginEarly(_ arguments: [String]) {
        let wakePool = { @Sendable in _ = Task.detached {} }
        let capturing: [any ParsableCommand.Type] = [RecordCommand.self, MeterCommand.self]
        guard capturing.contains(where: { $0.configuration.commandName == arguments.first }) else { return wakePool() }
        let serverName = CompletedWords(words: arguments).value(of: "--server")
        try? ACCAudioRecorder.connectEarly(to: serverName, conclude: wakePool)
    }

    /// Runs a command on threads of its own, and exits.
    private static func run(_ command: sending any ParsableCommand, of arguments: [String]) {
        Task.detached {
            do {
                if let job = command as? any JobCommand {
                    try await job.run(behind: FrontLink())
                } else if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    var command = command
                    try command.run()
                }
                leave(EXIT_SUCCESS)
            } catch {
                exit(for: error, in: arguments)
            }
        }
    }

    private static func exit(for error: any Error, in arguments: [String]) -> Never {
        switch error {
        case let status as ExitCode:
            leave(status.rawValue)
        case let error as ACCAudioRecorderError:
            StandardError.write("accrec: \(error)\n")
            leave(ExitStatus(error).rawValue)
        case _ where exitCode(for: error) == .success:
            // Help or version, as asked for.
            print(fullMessage(for: error))
            leave(EXIT_SUCCESS)
        default:
            StandardError.write("accrec: \(Mistake.message(for: error, in: Self.self, arguments: arguments))\n")
            leave(exitCode(for: error).rawValue)
        }
    }

    /// Exits without what C libraries would do then, for their threads may still be at work.
    private static func leave(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }
}
