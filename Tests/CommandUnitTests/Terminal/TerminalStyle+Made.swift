@testable import AccrecCommands

extension TerminalStyle {
    static let utf8 = TerminalStyle(color: .auto) { [.language: "C.UTF-8"][$0] }
    static let ascii = TerminalStyle(color: .auto) { [.language: "C"][$0] }
}
