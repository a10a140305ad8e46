@testable import AccrecCommands

extension TerminalStyle {
    static let utf8 = TerminalStyle(color: .auto) { ["LANG": "C.UTF-8"][$0] }
    static let ascii = TerminalStyle(color: .auto) { ["LANG": "C"][$0] }
}
