// Lists the public symbols in symbol graphs that have no documentation, and the types that no topic of the given articles has.
// Fails where there are any.
// usage: undocumented-symbols SYMBOL-GRAPH.json ... ARTICLE.md ...

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
        struct Kind: Decodable {
            let identifier: String
        }

        let pathComponents: [String]
        /// Nil for what the compiler has made, such as the `init(rawValue:)` of an enumeration.
        let location: Location?
        let docComment: Documentation?
        let kind: Kind

        /// Whether it is a type of the module itself, rather than within another type.
        var isOuterType: Bool {
            pathComponents.count == 1
                && ["swift.class", "swift.struct", "swift.enum", "swift.protocol"].contains(kind.identifier)
        }
    }
    let symbols: [Symbol]
}

let paths = CommandLine.arguments.dropFirst()
let symbols = try paths.filter { $0.hasSuffix(".json") }.flatMap { path in
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
// A link of a topic stands alone in its item.
let items = try paths.filter { $0.hasSuffix(".md") }.flatMap { path in
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
}
for symbol in symbols where symbol.isOuterType {
    let name = symbol.pathComponents[0]
    // The link of the type that has the name of its module names both.
    guard !items.contains("- ``\(name)``"), !items.contains("- ``\(name)/\(name)``") else { continue }
    print("no topic of the documentation has \(name)")
    isComplete = false
}
exit(isComplete ? 0 : 1)
