// Lists the public symbols in symbol graphs that have no documentation, and fails where there are any.
// usage: undocumented-symbols SYMBOL-GRAPH ...

import Foundation

struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Location: Decodable {
            struct Position: Decodable {
                let line: Int
            }
            let uri: String
            let position: Position
        }
        struct Documentation: Decodable {}

        let pathComponents: [String]
        /// Nil for what the compiler has made, such as the `init(rawValue:)` of an enumeration.
        let location: Location?
        let docComment: Documentation?
    }
    let symbols: [Symbol]
}

let symbols = try CommandLine.arguments.dropFirst().flatMap { path in
    try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(filePath: path))).symbols
}
guard !symbols.isEmpty else {
    print("undocumented-symbols: no symbols were given")
    exit(2)
}
var isComplete = true
for symbol in symbols where symbol.docComment == nil {
    guard let location = symbol.location, let file = URL(string: location.uri)?.path else { continue }
    print("\(file):\(location.position.line + 1): no documentation of \(symbol.pathComponents.joined(separator: "."))")
    isComplete = false
}
exit(isComplete ? 0 : 1)
