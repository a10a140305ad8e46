import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The list of a recording's complete files, which does not grow for ever.
@Suite struct FileListTests {
    private static func report(_ number: Int, failure: ACCAudioRecorderError? = nil) throws -> OutputReport {
        OutputReport(
            output: try RecordingOutput(path: "100%-\(number).wav"), sampleRate: 48_000,
            channelMap: .standard(channelCount: 1), firstFrame: (number - 1) * 10, frameCount: 10,
            losses: number == 700 ? [.init(position: 3, frameCount: 7, isFilled: false, cause: .tooSlow)] : [],
            byteCount: 64, processingSteps: [.resampled(from: 44_100, to: 48_000)], failure: failure)
    }

    private static func list(of count: Int, mayRemove: Bool = false) throws -> FileList {
        var list = FileList(of: .file(path: "100%.wav"), mayRemove: mayRemove)
        for number in 1...count { list.append(try report(number), []) }
        return list
    }

    @Test("Of many files, those in the middle are one report, whose sums are exact")
    func middle() throws {
        let few = try Self.list(of: 1_024).reports
        #expect(few.count == 1_024 && few.allSatisfy { $0.fileCount == 1 })
        let reports = try Self.list(of: 3_000).reports
        let middle = reports[512]
        #expect(reports.count == 1_025 && reports[511].path == "100%-512.wav" && reports[513].path == "100%-2489.wav")
        #expect(reports.reduce(0) { $0 + $1.fileCount } == 3_000 && middle.fileCount == 3_000 - 1_024)
        #expect(middle.path == nil && "\(middle.output.destination)" == "'100%%-{n}.wav'")
        #expect(middle.firstFrame == 5_120 && middle.frameCount == 19_760 && middle.byteCount == 64 * 1_976)
        #expect(middle.processingSteps == [.resampled(from: 44_100, to: 48_000)])
        #expect(middle.gaps.map(\.position) == [6_993 - 5_120] && middle.gaps.map(\.framesLost) == [7])
        let decoded = try JSONDecoder().decode(OutputReport.self, from: JSONEncoder().encode(middle))
        #expect(decoded.fileCount == middle.fileCount && decoded.gaps == middle.gaps)
    }

    @Test("Files that are removed are in no report, whether it lists them or not")
    func removed() throws {
        var list = try Self.list(of: 3_000, mayRemove: true)
        for number in 1...1_000 { _ = list.remove { $0 == "100%-\(number).wav" } }
        let reports = list.reports
        #expect(reports.count == 513 && reports[0].fileCount == 3_000 - 1_000 - 512)
        #expect(reports[0].firstFrame == 10_000 && reports.reduce(0) { $0 + $1.frameCount } == 20_000)
        #expect(reports[0].gaps.isEmpty)
        for number in 1_001...2_990 { _ = list.remove { $0 == "100%-\(number).wav" } }
        #expect(list.reports.map(\.path) == (2_991...3_000).map { "100%-\($0).wav" })
        for number in 3_001...6_000 { list.append(try Self.report(number), []) }
        #expect(list.reports.reduce(0) { $0 + $1.fileCount } == 3_010 && list.reports.count <= 1_025)
    }

    @Test("Of many losses or pauses, the last one stands for those that followed, with their number")
    func gaps() {
        var gaps: [RecordingGap] = []
        for number in 1...10_000 {
            let cause = number % 2 == 0 ? RecordingGap.Cause.silence : .overrun
            _ = GapRecorder.list(
                RecordingGap(position: number * 100, framesLost: 5, sampleRate: 48_000, cause: cause), in: &gaps)
        }
        #expect(gaps.count == 2 * GapRecorder.mostGaps && gaps.map(\.position) == gaps.map(\.position).sorted())
        for isLoss in [true, false] {
            let some = gaps.filter { $0.isLoss == isLoss }
            #expect(some.reduce(0) { $0 + $1.count } == 5_000 && some.reduce(0) { $0 + $1.framesLost } == 25_000)
            #expect(some.dropLast().allSatisfy { $0.count == 1 } && some.last?.count == 5_000 - 4_095)
        }
        var losses: [OutputReport.Loss] = []
        for number in 1...5_000 {
            OutputReport.Loss.list(
                .init(position: number * 10, frameCount: 2, isFilled: false, cause: .tooSlow), in: &losses)
        }
        #expect(losses.count == 4_096 && losses.last?.count == 905 && losses.last?.span == 9_040)
        #expect(losses.reduce(0) { $0 + $1.frameCount } == 10_000)
    }
}
