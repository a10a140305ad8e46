/// The capabilities of the terminal and the user's preferences.
struct TerminalStyle: Equatable {
    /// Whether it shows UTF-8 rather than only ASCII.
    var isUTF8: Bool
    var hasColor: Bool

    var glyphs: Glyphs { isUTF8 ? .utf8 : .ascii }

    /// Determines the encoding from the locale, by the first of its variables that is set, and whether to use colours
    /// from `NO_COLOR` (https://no-color.org).
    ///
    /// - Parameter variable: Returns the value of an environment variable, or nil if it is not set.
    init(color: ColorChoice, variable: (EnvironmentVariable) -> String? = \.value) {
        let locale =
            [EnvironmentVariable.locale, .characterLocale, .language].lazy.compactMap(variable)
            .first { !$0.isEmpty } ?? ""
        // de_DE.UTF-8@euro
        let encoding = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
        isUTF8 = ["utf8", "utf-8"].contains(encoding.lowercased())
        hasColor =
            switch color {
            case .always: true
            case .never: false
            case .auto: variable(.noColor)?.isEmpty ?? true
            }
    }
}

/// Whether the meter uses colours, as given to `--color`.
enum ColorChoice: String, CaseIterable {
    case auto, always, never
}
