import Testing

@testable import ACCAudioRecorder

/// Which files exceed a policy, for any files.
@Suite struct RetentionPolicyTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private func kept(
        _ policy: RetentionPolicy, _ files: [RetentionPolicy.Candidate], hasCurrent: Bool
    ) -> [RetentionPolicy.Candidate] {
        zip(files, policy.excess(of: files, hasCurrent: hasCurrent)).filter { $0.1 == nil }.map(\.0)
    }

    @Test("Whatever the files, each bound holds for those that are kept, and no file is removed that none exceeds")
    func bounds() {
        var random = Generator(state: 7)
        for _ in 0..<2_000 {
            let policy = RetentionPolicy(
                fileCount: Bool.random(using: &random) ? Int.random(in: 1...12, using: &random) : nil,
                age: Bool.random(using: &random) ? .seconds(Int.random(in: 1...100, using: &random)) : nil,
                byteCount: Bool.random(using: &random) ? Int.random(in: 1...500, using: &random) : nil)
            let count = Int.random(in: 0...40, using: &random)
            let needsNone = Bool.random(using: &random)
            let files = (0..<count).map { index in
                RetentionPolicy.Candidate(
                    age: .seconds((count - index) * 3), byteCount: Int.random(in: 1...60, using: &random),
                    isAwaited: !needsNone && Bool.random(using: &random))
            }
            let hasCurrent = Bool.random(using: &random)
            let excess = policy.excess(of: files, hasCurrent: hasCurrent)
            #expect(excess.count == files.count)
            guard needsNone else {
                for (file, bound) in zip(files, excess) where file.isAwaited && bound == .age {
                    #expect(file.age > (policy.age ?? .zero) * 2)
                }
                continue
            }
            let rest = kept(policy, files, hasCurrent: hasCurrent)
            // The oldest go first.
            #expect(excess.drop { $0 != nil }.allSatisfy { $0 == nil })
            if let limit = policy.fileCount { #expect(rest.count + (hasCurrent ? 1 : 0) <= max(limit, 1)) }
            for file in rest.dropLast() {
                if let age = policy.age { #expect(file.age <= age) }
            }
            let current = hasCurrent ? files.last?.byteCount ?? 0 : 0
            if let limit = policy.byteCount, rest.count > 1 {
                #expect(rest.reduce(current) { $0 + $1.byteCount } <= limit)
            }
            // One more would be too many.
            if let removed = Array(zip(files, excess)).last(where: { $0.1 != nil }) {
                let more = [removed.0] + rest
                switch removed.1 {
                case .count: #expect(more.count + (hasCurrent ? 1 : 0) > policy.fileCount ?? 0)
                case .age: #expect(removed.0.age > policy.age ?? .zero)
                case .size: #expect(more.reduce(current) { $0 + $1.byteCount } > policy.byteCount ?? 0)
                default: Issue.record("kept")
                }
            }
        }
    }

    @Test("What a program needs stays until twice the bound, and at least ten more files do")
    func awaitedFiles() {
        func kept(_ policy: RetentionPolicy, _ count: Int) -> Int {
            let files = (0..<count).map {
                RetentionPolicy.Candidate(age: .seconds(count - $0), byteCount: 1, isAwaited: true)
            }
            return self.kept(policy, files, hasCurrent: true).count
        }
        #expect(kept(RetentionPolicy(fileCount: 1), 100) == 10 && kept(RetentionPolicy(fileCount: 24), 100) == 47)
        #expect(kept(RetentionPolicy(age: .seconds(20)), 100) == 40)
        #expect(kept(RetentionPolicy(byteCount: 20), 100) == 39)
    }

    @Test("A clock that is put forward removes nothing that is newer, and one that is put back neither")
    func clocks() {
        let end = LedgerEntry.Moment(hostTime: MonotonicClock.now())
        let later = LedgerEntry.Moment(hostTime: MonotonicClock.now() + 60_000_000_000)
        #expect(later.since(end) > .seconds(59) && later.since(end) < .seconds(120))
        #expect(end.since(later) < .zero)
    }

    @Test(arguments: [
        RetentionPolicy(fileCount: 0), RetentionPolicy(age: .zero), RetentionPolicy(byteCount: 0),
    ])
    func rejectsValuesOutOfRange(policy: RetentionPolicy) {
        #expect(throws: ACCAudioRecorderError.self) { try policy.validate() }
    }
}
