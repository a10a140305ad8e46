import ArgumentParser
import FoundationEssentials

/// Measures parts of the library, and the whole of it from a synthetic source; prints the figures as JSON.
@main
struct Benchmarks: AsyncParsableCommand {
    @Option(help: "How often each subject has its turn.")
    var turns = 15

    @Option(help: "How often whole recordings have theirs.")
    var recordings = 3

    func run() async throws {
        var figures = try LevelBenchmark.run(turns: turns)
        figures += try RingBenchmark.run(turns: turns)
        figures += try ConversionBenchmark.run(turns: turns)
        figures += try ResamplingBenchmark.run(turns: turns)
        figures += await BroadcastBenchmark.run(turns: turns)
        figures += try await EngineBenchmark.run(turns: recordings)
        figures += try await WakeUpBenchmark.run(turns: recordings)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(figures), as: UTF8.self))
    }
}
