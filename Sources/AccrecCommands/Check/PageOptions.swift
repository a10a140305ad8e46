import ACCAudioRecorder
import ArgumentParser

/// The files that a check writes: a page of all takes, and the picture of one.
struct PageOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Write all takes to this file, as a page to look at and listen to.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: ArgumentHelp("Draw the take into this file, as SVG. Only for a single file.", valueName: "file"),
        completion: .file(extensions: ["svg"]))
    var picture: String?

    @Flag(help: "Create missing directories of the page and the picture.")
    var mkdir = false

    @Flag(help: "Replace an earlier page or picture.")
    var force = false

    /// How much of each file is gathered; nil for nothing.
    func detail(takeCount: Int) -> PageDetail? {
        html != nil || picture != nil ? .of(takeCount: takeCount) : nil
    }
}
