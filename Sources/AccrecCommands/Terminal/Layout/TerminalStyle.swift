/// What a terminal can show, and what its user wants to see.
struct TerminalStyle: Equatable {
    /// Whether it shows UTF-8; otherwise ASCII is all there is.
    var isUTF8: Bool
    var hasColor: Bool

    var glyphs: Glyphs { isUTF8 ? .utf8 : .ascii }

    /// The locale says what the terminal shows, by the first of its variables that is set; `NO_COLOR` that nobody wants
    /// colours (https://no-color.org).
    ///
    /// - Parameter variable: The value of a variable of the environment; nil for one that is not set.
    init(color: ColorChoice, variable: (String) -> String? = Environment.value) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? ""
        // de_DE.UTF-8@euro
        let encoding = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
        isUTF8 = ["utf8", "utf-8"].contains(encoding.lowercased())
        hasColor =
            switch color {
            case .always: true
            case .never: false
            case .auto: variable("NO_COLOR")?.isEmpty ?? true
            }
    }
}
