import ACCAudioRecorder

extension BatchTake {
    /// The outcome of an attempt after the check of its files, if there is one: a take fails it that has a finding.
    func checked(_ outcome: Outcome) -> Outcome {
        guard let check, outcome.status == .recorded else { return outcome }
        do throws(RunFailure) {
            var checks: [FileCheck] = []
            for path in checkedPaths { checks.append(try FileCheck.read(path: path, limits: check).check) }
            // Files of one take have much in common.
            var texts: [String] = []
            for text in checks.flatMap(\.findings).map(\.text) where !texts.contains(text) { texts.append(text) }
            var outcome = outcome
            outcome.checks = checks
            guard !texts.isEmpty else { return outcome }
            return Outcome(
                status: .failed, message: "the check found: \(FindingText.text(texts))", report: outcome.report,
                checks: checks)
        } catch {
            return Outcome(status: .failed, message: "\(error)", report: outcome.report)
        }
    }
}

/// What is wrong with a take, in a line.
enum FindingText {
    /// The number of findings that are named; the others are counted.
    private static let mostNamed = 3

    static func text(_ findings: [String]) -> String {
        let rest = findings.count - mostNamed
        return findings.prefix(mostNamed).joined(separator: ", ") + (rest > 0 ? ", and \(rest) more" : "")
    }
}
