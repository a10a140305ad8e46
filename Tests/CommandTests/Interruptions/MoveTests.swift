import Foundation
import TestSupport
import Testing

/// A take stays on its source, wherever the server or its administrator would have it go.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct MoveTests {
    @Test("D-04: the default changes, and the take stays where it is", arguments: ServerKind.allCases, [true, false])
    func aChangedDefaultIsIgnored(kind: ServerKind, isNamed: Bool) async throws {
        try await Rooms.with(kind) { server, _ in
            try await server.setDefaultSource("near")
            let take = Take(on: server)
            let result = try await AccrecProcess.with(take.record(from: isNamed ? "near" : nil), on: server) {
                accrec in
                try await take.wait(for: 1, accrec)
                try await server.setDefaultSource("hall.monitor")
                try await take.wait(for: 3, accrec)
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            try take.expectSmallGaps(result)
        }
    }

    @Test("D-04: the default is followed where that is asked for", arguments: ServerKind.allCases)
    func aChangedDefaultIsFollowed(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            try await server.makeMicrophone("far", hearing: "hall")
            try await server.setDefaultSource("near")
            let take = Take(on: server)
            let arguments = take.record(from: nil, with: ["--follow-default"])
            let result = try await AccrecProcess.with(arguments, on: server) { accrec in
                try await take.wait(for: 1, accrec)
                try await server.setDefaultSource("far")
                try await accrec.waitForStandardError(containing: "the take goes on with '")
                return try await take.finish(accrec, after: 1)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let numbers = Signal.numbers(inCounter: try PCMFile(wav: take.url).int16, channels: 2)
            let change = try #require(numbers.firstIndex(of: Rooms.foreign))
            #expect(change > 48_000 - 4_800)
            #expect(numbers[change...].allSatisfy { $0 == Rooms.foreign || $0 == 0 })
        }
    }

    @Test("I-09, D-04: moved away by an administrator, the take goes back", arguments: ServerKind.allCases)
    func aMovedStreamGoesBack(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            let take = Take(on: server)
            let result = try await AccrecProcess.with(take.record(), on: server) { accrec in
                try await take.wait(for: 1, accrec)
                for round in 1...3 {
                    try await server.moveRecordStream(ofProcess: accrec.processID, to: "hall.monitor") {
                        accrec.standardError.components(separatedBy: "moved the stream to another source.").count
                            > round
                    }
                    try await take.wait(forAnother: 0.7, accrec)
                }
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            try take.expectSmallGaps(result)
        }
    }

    @Test(
        "I-09, I-13: ended at the server by an administrator, the take is kept, and says why",
        arguments: ServerKind.allCases)
    func aKilledStreamEndsTheTake(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            let (take, witness) = (Take(on: server), Take(on: server, "witness.wav"))
            try await AccrecProcess.with(witness.record(from: "room.monitor"), on: server) { other in
                let (heard, result) = try await AccrecProcess.with(take.record(from: "room.monitor"), on: server) {
                    accrec in
                    try await take.wait(for: 1, accrec)
                    try await witness.wait(for: 1, other)
                    let heard = witness.seconds
                    try await server.killRecordStream(ofProcess: accrec.processID)
                    return (heard, try await accrec.wait(within: 10))
                }
                #expect(result.end == .exit(5))
                #expect(
                    result.standardError.contains("the take is interrupted: the stream has been ended at the server."))
                #expect(result.standardError.contains("broke off: Entity killed. Somebody ended the stream"))
                let (numbers, breaks) = try take.counter()
                #expect(breaks.allSatisfy { numbers[$0 - 1] == 0 }, "\(breaks)")
                // What the other take had heard by then, but for a fragment that was on its way.
                other.signal(SIGINT)
                _ = try await other.wait()
                let others = try witness.counter().numbers
                #expect(try #require(numbers.last) > others[Int(heard * 48_000) - 4_800])
            }
        }
    }
}
