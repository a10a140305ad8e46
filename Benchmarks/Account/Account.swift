import FoundationEssentials

/// Loses audio in computed deliveries, seeded, and prints as JSON what the library reports of it.
@main
struct Account: Encodable {
    private let losses: [Row]
    private let hours: [Hours]

    private static let lengths = [10, 20, 30, 45, 60, 100, 200, 500, 1_000, 2_000]
    private static let takes = 50

    static func main() throws {
        let account = Account(losses: Kind.allCases.flatMap(rows), hours: Hours.all())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(account), as: UTF8.self))
    }

    private static func rows(of kind: Kind) -> [Row] {
        lengths.map { milliseconds in
            (0..<takes).reduce(into: Row(kind, milliseconds: milliseconds)) { row, take in
                let delivery = kind.delivery(
                    losing: Double(milliseconds) / 1_000, seed: UInt64(milliseconds * takes + take))
                row.add(DeliveryAccount(delivery), fragmentFrames: delivery.fragmentFrames)
            }
        }
    }
}
