import ACCAudioRecorder

/// What a picture is written as.
enum PictureForm: String, CaseIterable {
    case svg, png

    /// By the end of a path: SVG where there is none, such as of a device; nil for that of another form.
    init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            self = .svg
            return
        }
        self.init(rawValue: name[name.index(after: dot)...].lowercased())
    }

    /// What each picture has within its first kilobyte, and no other file.
    var mark: String {
        switch self {
        case .svg: TakePicture.mark
        case .png: PNGPicture.mark
        }
    }
}
