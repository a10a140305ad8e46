import Foundation
import TestSupport
import Testing

/// Runs of `accrec` on a server, in the directory of a test.
extension PrivateServer {
    /// Runs `accrec`, and expects an exit status.
    ///
    /// - Parameters:
    ///   - arguments: The command line after the name.
    ///   - variables: Added to the environment.
    ///   - status: The expected exit status; nil if others are possible.
    ///   - seconds: The deadline for the end, after the body.
    ///   - body: Runs meanwhile.
    @discardableResult
    func accrec(
        _ arguments: [String], environment variables: [String: String] = [:], status: Int32? = 0,
        within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (_ accrec: ChildProcess) async throws -> Void = { _ in }
    ) async throws -> ProcessResult {
        let result = try await AccrecProcess.with(arguments, on: self, environment: variables, in: directory) {
            try await body($0)
            return try await $0.wait(within: seconds)
        }
        if let status {
            #expect(
                result.end == .exit(status), "\(arguments): \(result.standardError)", sourceLocation: sourceLocation)
        }
        return result
    }

    /// Runs `accrec record` like `accrec`.
    ///
    /// - Parameters:
    ///   - options: The options of `record`, without the source.
    ///   - source: The source; nil for the default, or for what the options name.
    ///   - body: Runs meanwhile. It ends the recording, unless the options or the source do.
    @discardableResult
    func record(
        _ options: [String], from source: String? = "room.monitor", environment variables: [String: String] = [:],
        status: Int32? = 0, within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (_ accrec: ChildProcess) async throws -> Void = { _ in }
    ) async throws -> ProcessResult {
        try await accrec(
            ["record"] + (source.map { ["-d", $0] } ?? []) + options, environment: variables, status: status,
            within: seconds, sourceLocation: sourceLocation, body)
    }

    /// Records a recording with further options, like the other method.
    @discardableResult
    func record(
        _ recording: TestRecording, with options: [String] = [], from source: String? = "room.monitor",
        rate: String = "48000",
        environment variables: [String: String] = [:], status: Int32? = 0, within seconds: Double = 60,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (_ accrec: ChildProcess) async throws -> Void = { _ in }
    ) async throws -> ProcessResult {
        try await accrec(
            recording.record(from: source, rate: rate, with: options), environment: variables, status: status,
            within: seconds, sourceLocation: sourceLocation, body)
    }

    /// Runs a shell command in which `$accrec` is the program, in the test's directory.
    ///
    /// - Parameters:
    ///   - line: A command for bash.
    ///   - variables: Added to the environment.
    ///   - seconds: The deadline for the end, after the body.
    ///   - body: Runs meanwhile.
    @discardableResult
    func shell(
        _ line: String, environment variables: [String: String] = [:], within seconds: Double = 30,
        _ body: (_ shell: ChildProcess) async throws -> Void = { _ in }
    ) async throws -> ProcessResult {
        let variables = try variables.merging(["accrec": AccrecProcess.executable()]) { $1 }
        return try await ChildProcess.with(
            ["bash", "-c", line], environment: environment.merging(variables) { $1 }, in: directory
        ) {
            try await body($0)
            return try await $0.wait(within: seconds)
        }
    }

    /// Opens a FIFO in the test's directory for a moment, once a shell waits for that (`: <gate`), so that it continues.
    func open(_ gate: String) async throws {
        try await eventually("a shell at \(gate)") {
            let descriptor = Foundation.open(file(gate).path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            close(descriptor)
            return true
        }
    }

    /// The report that a recording with `--report report.json` has written.
    func report(_ name: String = "report.json") throws -> WrittenReport {
        try JSONDecoder().decode(WrittenReport.self, from: Data(contentsOf: file(name)))
    }
}
