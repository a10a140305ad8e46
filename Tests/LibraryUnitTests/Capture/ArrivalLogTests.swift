import Testing

@testable import ACCAudioRecorder

@Suite struct ArrivalLogTests {
    @Test("A byte has the time of the arrival that it came with, however late it is read")
    func timesOfBytes() {
        var log = ArrivalLog()
        #expect(log.time(ofByteBefore: 1) == nil)
        for number in 1...10 { log.add(upTo: Int64(number) * 100, at: UInt64(number)) }
        // Nothing new has arrived.
        log.add(upTo: 1_000, at: 99)
        #expect(log.time(ofByteBefore: 50) == 1)
        #expect(log.time(ofByteBefore: 100) == 1)
        #expect(log.time(ofByteBefore: 101) == 2)
        #expect(log.time(ofByteBefore: 1_000) == 10)
        #expect(log.time(ofByteBefore: 1_001) == nil)
        log.add(upTo: 1_100, at: 11)
        #expect(log.time(ofByteBefore: 1_001) == 11)
    }

    @Test("More arrivals than it tells apart count as one, and later ones are right again")
    func moreThanFit() {
        var log = ArrivalLog()
        for number in 1...5_000 { log.add(upTo: Int64(number), at: UInt64(number)) }
        #expect(log.time(ofByteBefore: 1_000) == 1_000)
        #expect(log.time(ofByteBefore: 5_000) == 1_024)
        for number in 5_001...12_000 {
            log.add(upTo: Int64(number), at: UInt64(number))
            #expect(log.time(ofByteBefore: Int64(number)) == UInt64(number))
        }
    }
}
