import Glibc
import TestSupport

/// Where and beside what audio is lost.
enum Kind: String, CaseIterable {
    case single = "once"
    case atStart = "in the first half second"
    case afterLoss = "twice within 2 s"
    case nearEnd = "2 to 5 s before the end"
    case atEnd = "in the last 2 s"
    case closeSeries = "24 times, 0.1 to 0.5 s apart"
    case series = "24 times, 0.5 to 1.5 s apart"
    case looseSeries = "24 times, 1.5 to 5 s apart"
    case jitter = "with a jitter of 20 ms"
    case drift = "with a drift of ±500 ppm"
    case driftSteps = "with steps of the drift by 200 ppm"
    case cycles = "within 2 s after a change of the cycle"
    case clients = "while clients come and go"
    case stops = "while the recorder is stopped for 0.2 to 30 s"

    /// A delivery that loses audio of this length in seconds, once or in series.
    func delivery(losing length: Double, seed: UInt64) -> SimulatedDelivery {
        var random = SplitMix64(seed: seed)
        var delivery = SimulatedDelivery(seed: random.next())
        delivery.fragment = [0.01, 0.021, 0.04].randomElement(using: &random) ?? delivery.fragment
        var time = Double.random(in: 8...20, using: &random)
        delivery.length = time + length + .random(in: 5...15, using: &random)
        switch self {
        case .single: break
        case .atStart: time = .random(in: 0...0.5, using: &random)
        case .afterLoss:
            delivery.losses.append(.init(time: time, length: length))
            time += length + .random(in: 0...2, using: &random)
            delivery.length += length + 2
        case .nearEnd: delivery.length = time + length + delivery.fragment + .random(in: 2...5, using: &random)
        case .atEnd: delivery.length = time + length + .random(in: 0...2, using: &random)
        case .closeSeries, .series, .looseSeries:
            let apart = self == .closeSeries ? 0.1...0.5 : self == .series ? 0.5...1.5 : 1.5...5
            delivery.loseSeries(of: length, from: time, apart: apart, using: &random)
            return delivery
        case .jitter: delivery.jitter = 0.02
        case .drift: delivery.drift(by: Bool.random(using: &random) ? 500 : -500)
        case .driftSteps:
            time += 60
            delivery.length += 120
            delivery.drift(by: .random(in: -500...300, using: &random), stepping: 30)
        case .cycles:
            let latencies = [0.005, 0.011, 0.021, 0.043].shuffled(using: &random)
            delivery.changes = [
                .init(time: 2, latency: latencies[0]),
                .init(time: time - .random(in: 0...2, using: &random), latency: latencies[1]),
            ]
        case .clients: delivery.letClientsComeAndGo(every: 0.5...10, using: &random)
        case .stops:
            let block = delivery.fragment / 2
            let shortest = max(0.2, length + block)
            let stop = shortest * pow(30 / shortest, .random(in: 0...1, using: &random))
            delivery.length += stop
            delivery.stop(.init(time: time, length: stop), keeping: stop - length - block)
            return delivery
        }
        delivery.losses.append(.init(time: time, length: length))
        return delivery
    }
}
