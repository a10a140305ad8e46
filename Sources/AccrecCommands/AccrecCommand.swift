import ACCAudioRecorder
import ArgumentParser
import CMalloc
import FoundationEssentials
import Glibc

/// `accrec`: the root command.
public struct AccrecCommand: AsyncParsableCommand {
    /// Name, abstract, version and subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "accrec",
        abstract: "Record audio from PulseAudio or PipeWire with frame accuracy.",
        version: "accrec \(ACCAudioRecorder.version)",
        subcommands: [
            RecordCommand.self, BatchCommand.self, MeterCommand.self, DevicesCommand.self, FormatsCommand.self,
            ConfigCommand.self,
            CtlCommand.self, PlayCommand.self, InfoCommand.self, CheckCommand.self, RepairCommand.self,
        ])

    /// Required by the argument parser.
    public init() {}

    /// Prints a short introduction when no subcommand is given.
    public func run() throws {
        try StandardOutput.write(lines: Self.introduction.components(separatedBy: "\n"))
    }

    private static let introduction = """
        accrec records audio from PulseAudio or PipeWire with frame accuracy.

          accrec record take.wav               record the microphone until Ctrl-C
          accrec record take.wav --max 60      record exactly one minute
          accrec record call.flac --mic --desktop
                                               record both sides of a call
          accrec record -o - | recogniser      send raw samples to a program
          accrec batch takes.toml              record the takes listed in a file
          accrec ctl stop                      stop a recording from elsewhere
          accrec meter                         show the level without recording
          accrec play take.wav                 play a file
          accrec info take.wav                 show its format, length and markers
          accrec check take.wav                say whether it is good: levels, faults
          accrec devices                       list the sources and applications
          accrec formats                       list the file formats
          accrec config                        show the settings in effect
          accrec repair take.wav               repair a file after a crash

        'accrec record -h' shows the main options, 'accrec record --help' all of them.
        'man accrec' is the manual.
        """

    /// The subcommand that the arguments name, or nil if they name none.
    private static func named(in arguments: [String]) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == arguments.first }
    }

    /// Parses the command line, runs the command and exits with its status: 0 on success, 64 for a mistake on the
    /// command line, and a status of ``ExitStatus`` for any other failure. The first line of a failure
    /// on standard error says it all; what may be named instead follows in a line each.
    ///
    /// Call it on the main thread, which then only receives signals. Handing the main thread to libdispatch, as an
    /// asynchronous main does, would cost 0.6 MiB of unwind tables.
    public static func runAndExit() -> Never {
        StandardDescriptors.fill()
        // All threads share a heap: with one for each, memory that one has returned is of no use to the others. None of them
        // allocates much, and the capture thread nothing.
        mallopt(M_ARENA_MAX, 1)
        let arguments = Array(CommandLine.arguments.dropFirst())
        let isJob = named(in: arguments) is any JobCommand.Type
        Signals.resetInherited(isJob: isJob)
        // A closed pipe becomes an error of the write instead.
        signal(SIGPIPE, SIG_IGN)
        do {
            var link: TerminalSupervisor.JobLink?
            try CommandLine.requireUTF8()
            if arguments == ["--version"] {
                run(VersionCommand(), of: arguments, behind: nil)
                Signals.deliver()
            }
            if let help = help(for: arguments, introduction: introduction) {
                try StandardOutput.write(lines: help.components(separatedBy: "\n"))
                ProgramEnd.leave(EXIT_SUCCESS)
            }
            if arguments.first == "help", let word = arguments.dropFirst().first, named(in: [word]) == nil {
                throw ValidationError(UsageMessage.unknownCommand(word, of: Self.self))
            }
            StandardDescriptors.requireEnough(isCapturing: isJob)
            if isJob {
                // Before parsing, since the recording process parses the arguments anyway.
                try TerminalSupervisor.superviseIfNeeded()
                // Changes the environment, so no other thread may be running yet.
                link = TerminalSupervisor.JobLink()
            }
            var command = try parseAsRoot(arguments)
            try Setting.rejectRepetition(in: Array(arguments.dropFirst()), of: type(of: command))
            if let defaulted = command as? any DefaultedCommand {
                command = try defaulted.applyingDefaults(to: Array(arguments.dropFirst()))
            }
            run(command, of: arguments, behind: link)
        } catch {
            exit(for: error, in: arguments)
        }
        Signals.deliver()
    }

    /// `accrec --version`: the program's version, and those of what it stands on, for reports of faults.
    private struct VersionCommand: AsyncParsableCommand {
        func run() async throws {
            try StandardOutput.write(lines: [AccrecCommand.configuration.version])
            try StandardOutput.write(lines: await ACCAudioRecorder.software())
        }
    }

    /// Runs a command in a detached task, then exits.
    private static func run(
        _ command: sending any ParsableCommand, of arguments: [String], behind link: TerminalSupervisor.JobLink?
    ) {
        Task.detached {
            do {
                if let job = command as? any JobCommand {
                    try await job.run(behind: link)
                } else if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    var command = command
                    try command.run()
                }
                ProgramEnd.leave(EXIT_SUCCESS)
            } catch {
                exit(for: error, in: arguments)
            }
        }
    }

    private static func exit(for error: any Error, in arguments: [String]) -> Never {
        switch error {
        case let status as ExitCode:
            ProgramEnd.leave(status.rawValue)
        case let error as ACCAudioRecorderError:
            StandardError.tell(ErrorText.lines(error))
            ProgramEnd.leave(ExitStatus(error).rawValue)
        case let failure as RunFailure where failure.isOfReader:
            ProgramEnd.leave(EXIT_SUCCESS)
        case let mistakes as FileMistakes:
            for line in mistakes.lines { StandardError.tell(line) }
            ProgramEnd.leave(ExitStatus.usage.rawValue)
        case let failure as RunFailure:
            StandardError.tell("\(failure)")
            ProgramEnd.leave(ExitStatus.failure.rawValue)
        case _ where exitCode(for: error) == .success:
            // Help or the version was requested.
            do {
                let text = Completions.hardened(fullMessage(for: error))
                try StandardOutput.write(lines: text.components(separatedBy: "\n"))
            } catch {
                exit(for: error, in: arguments)
            }
            ProgramEnd.leave(EXIT_SUCCESS)
        default:
            StandardError.tell(UsageMessage.message(for: error, in: Self.self, arguments: arguments))
            ProgramEnd.leave(exitCode(for: error).rawValue)
        }
    }
}
