/// Settings as `accrec config` prints them: a line for each option.
struct SettingTable {
    let settings: [Setting]

    var text: String {
        let names = Self.column(settings.map(\.option.name))
        let values = Self.column(settings.map { $0.value ?? "-" })
        return zip(zip(names, values), settings).map { "\($0.0)  \($0.1)  \(Self.text(of: $1.origin))\n" }.joined()
    }

    private static func text(of origin: Setting.Origin) -> String {
        switch origin {
        case .commandLine: "command line"
        case .profile(let name, let place): "profile \(name), \(place)"
        case .file(let place): "\(place)"
        case .mode: "mode"
        case .builtIn: "built in"
        }
    }

    private static func column(_ texts: [String]) -> [String] {
        let width = texts.map(\.count).max() ?? 0
        return texts.map { $0 + String(repeating: " ", count: width - $0.count) }
    }
}
