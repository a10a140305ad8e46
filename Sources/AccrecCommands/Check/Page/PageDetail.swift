import ACCAudioRecorder

/// How much of each take a page holds: the less, the more takes there are, so that ten thousand open in a second or two.
struct PageDetail: Sendable, Hashable {
    let overview: TakeOverview.Detail
    let loudnessPoints: Int
    /// With more channels than this, a take has one lane for all of them.
    let lanes: Int
    /// Findings, gaps and markers of a take.
    let places: Int

    /// Of a picture, or a page of few takes: some 60 kB for a take.
    static let fine = PageDetail(
        overview: .init(waveformColumns: 800, spectrogramColumns: 400, bands: 96), loudnessPoints: 400, lanes: 16,
        places: 400)
    /// Some 15 kB for a take.
    static let medium = PageDetail(
        overview: .init(waveformColumns: 400, spectrogramColumns: 160, bands: 48), loudnessPoints: 200, lanes: 8,
        places: 100)
    /// Some 3 kB for a take: 30 MB for ten thousand.
    static let coarse = PageDetail(
        overview: .init(waveformColumns: 120, spectrogramColumns: 48, bands: 20), loudnessPoints: 60, lanes: 2,
        places: 10)
    /// Less than 1 kB for a take, without a spectrogram.
    static let least = PageDetail(
        overview: .init(waveformColumns: 60, spectrogramColumns: 0, bands: 1), loudnessPoints: 30, lanes: 1, places: 4)

    /// The detail of a page of this many takes.
    static func of(takeCount: Int) -> PageDetail {
        switch takeCount {
        case ...50: fine
        case ...1_000: medium
        case ...20_000: coarse
        default: least
        }
    }
}
