import ArgumentParser

/// What is run for each complete file.
struct ExecOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Run this program for each complete file, without a shell: its name is in ACCREC_FILE, its report on \
            standard input.
            """, valueName: "command"),
        transform: { text in
            guard let line = ProgramLine(text) else {
                throw ValidationError("name a program and its arguments; quotes must be closed")
            }
            let path = line.program.contains("/") ? line.program : ChildProgram.path(of: line.program)
            guard let path, ChildProgram.isExecutable(path) else {
                throw ValidationError("there is no program '\(line.program)' that you may run")
            }
            return FileProgram(path: path, arguments: line.arguments)
        })
    var exec: FileProgram?

    @Option(
        help: ArgumentHelp("End a program of --exec that runs longer than this.", valueName: "time"),
        transform: TakeLength.parse)
    var execTimeout: TakeLength = TakeLength(seconds: 600)

    /// The jobs for the files; nil without --exec.
    var jobs: FileJobs? {
        exec.map { FileJobs($0, timeout: execTimeout.seconds) }
    }
}
