/// A setting as `accrec config --json` prints it. The manual page documents the keys.
struct SettingRecord: Encodable {
    let option: String
    let value: String?
    let origin: String
    var profile: String?
    var file: String?
    var line: Int?

    init(_ setting: Setting) {
        option = setting.option.name
        value = setting.value
        switch setting.origin {
        case .commandLine: origin = "command-line"
        case .profile(let name, let place): (origin, profile, file, line) = ("profile", name, place.path, place.line)
        case .file(let place): (origin, file, line) = ("file", place.path, place.line)
        case .mode: origin = "mode"
        case .builtIn: origin = "built-in"
        }
    }
}
