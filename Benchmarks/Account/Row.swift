/// What is found of losses of one kind and length.
struct Row: Encodable {
    let kind: String
    /// The length of a loss in milliseconds.
    let milliseconds: Int
    private(set) var losses = 0
    /// How many of them were found at their places.
    private(set) var found = 0
    /// How many gaps were found one by one, of which `found` are at the place of a loss.
    private(set) var gaps = 0
    /// All recordings, and those whose sum is right to 1 % and 30 ms.
    private(set) var recordings = 0
    private(set) var rightRecordings = 0
    /// What was lost in all recordings, and what was reported, in seconds.
    private(set) var lost = 0.0
    private(set) var reported = 0.0
    /// The largest error of the sum of a recording, in seconds.
    private(set) var worstError = 0.0

    /// How far a gap may be from its loss, in frames: two fragments, but no less than 40 ms.
    private static func inexactness(of delivery: SimulatedDelivery) -> Int {
        SimulatedDelivery.frames(in: max(2 * delivery.fragment, 0.04))
    }

    init(_ kind: Kind, milliseconds: Int) {
        self.kind = kind.rawValue
        self.milliseconds = milliseconds
    }

    mutating func add(_ account: DeliveryAccount, of delivery: SimulatedDelivery) {
        losses += account.losses.count
        gaps += account.gaps.count
        var places = account.gaps.map(\.frame)
        for loss in account.losses {
            let distance = { abs($0 - loss.frame) }
            guard let nearest = places.indices.min(by: { distance(places[$0]) < distance(places[$1]) }),
                distance(places[nearest]) <= Self.inexactness(of: delivery)
            else { continue }
            places.remove(at: nearest)
            found += 1
        }
        recordings += 1
        rightRecordings += account.isRight() ? 1 : 0
        lost += account.lost
        reported += account.reported
        let error = account.reported - account.lost
        if abs(error) > abs(worstError) { worstError = error }
    }
}
