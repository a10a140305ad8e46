@testable import AccrecCommands

extension TerminalStyle {
    static let utf8 = TerminalStyle(environment: ["LANG": "C.UTF-8"], color: .auto)
    static let ascii = TerminalStyle(environment: ["LANG": "C"], color: .auto)
}
