import ArgumentParser

/// What is run for each complete file.
struct ExecOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Run this command for each complete file, without a shell. ACCREC_FILE is the file's name, standard input \
            its report.
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
        help: ArgumentHelp("End a command of --exec that runs longer than this. (default: 600)", valueName: "time"),
        transform: TakeLength.parse)
    var execTimeout: TakeLength = TakeLength(seconds: 600)

    /// The jobs for the files; nil without --exec.
    var jobs: FileJobs? {
        exec.map { FileJobs($0, timeout: execTimeout.seconds) }
    }
}
