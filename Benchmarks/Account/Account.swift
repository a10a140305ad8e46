import FoundationEssentials

/// Loses audio of synthetic sources, seeded, and prints as JSON what recordings report of it.
@main
struct Account: Encodable {
    private let losses: [Row]
    private let hours: [Hours]

    private static let lengths = [10, 20, 30, 45, 60, 100, 200, 500, 1_000, 2_000]
    private static let recordings = 50

    static func main() async throws {
        var losses: [Row] = []
        for kind in Kind.allCases { losses += try await rows(of: kind) }
        let account = Account(losses: losses, hours: try await Hours.all())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(account), as: UTF8.self))
    }

    private static func rows(of kind: Kind) async throws -> [Row] {
        var rows: [Row] = []
        for milliseconds in lengths {
            var row = Row(kind, milliseconds: milliseconds)
            for recording in 0..<recordings {
                let delivery = kind.delivery(
                    losing: Double(milliseconds) / 1_000, seed: UInt64(milliseconds * recordings + recording))
                row.add(try await DeliveryAccount(delivery), of: delivery)
            }
            rows.append(row)
        }
        return rows
    }
}
