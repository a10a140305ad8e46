import ACCAudioRecorder
import ArgumentParser

/// The files that a check writes: a page of all takes, and the picture of one.
struct PageOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Write all takes to this file, as a page to look at and listen to.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: ArgumentHelp("Draw the take into this file, .svg or .png. Only for a single file.", valueName: "file"),
        completion: .file(extensions: PictureForm.allCases.map(\.rawValue)))
    var picture: String?

    @Flag(help: "Create missing directories of the page and the picture.")
    var mkdir = false

    @Flag(help: "Replace an earlier page or picture.")
    var force = false

    func validate() throws {
        if let html, let ending = html.split(separator: "/").last?.split(separator: ".").dropFirst().last,
            !["html", "htm"].contains(ending.lowercased())
        {
            throw ValidationError("--html writes a page, such as takes.html, not '\(html)'.")
        }
        guard let picture, PictureForm(path: picture) == nil else { return }
        throw ValidationError("--picture writes .svg and .png, and '\(picture)' is neither.")
    }

    /// How much of each file is gathered; nil for nothing.
    func detail(takeCount: Int) -> PageDetail? {
        html != nil || picture != nil ? .of(takeCount: takeCount) : nil
    }
}
