import ArgumentParser

/// What is shown meanwhile.
struct DisplayOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "No meter and no report: only what went wrong.")
    var quiet = false
}
