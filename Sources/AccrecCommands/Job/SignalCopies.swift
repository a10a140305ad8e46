import Glibc

/// Tells the two copies of one signal from two signals. A signal to the process group, as from `kill %1` or Ctrl-C, comes
/// to this process directly and by its supervisor, and counts once; one to either of them comes alone.
struct SignalCopies {
    enum Way: CaseIterable {
        case direct, supervisor

        var other: Way { self == .direct ? .supervisor : .direct }
    }

    /// How long the second copy may take, in nanoseconds.
    static let longestDelay: UInt64 = 1_000_000_000

    /// When the copies came whose other ones have not come yet.
    private var single: [Int32: [Way: [UInt64]]] = [:]
    /// When the supervisor was stopped; nil if it runs.
    private var stop: UInt64?

    /// Whether a signal is new. Times are in nanoseconds.
    mutating func isNew(_ number: Int32, by way: Way, at time: UInt64) -> Bool {
        var others = single[number]?[way.other] ?? []
        // The second copy of a request to end, taken for a new one, would end the program at once, so that may come late.
        if [SIGUSR1, SIGUSR2].contains(number) { others.removeAll { $0 + Self.longestDelay < time } }
        let isNew = others.isEmpty
        if isNew { single[number, default: [:]][way, default: []].append(time) } else { others.removeFirst() }
        single[number, default: [:]][way.other] = others
        return isNew
    }

    /// The supervisor stops with its job, and gets its copies when it continues.
    mutating func supervisorStops(at time: UInt64) { stop = time }

    mutating func supervisorContinues(at time: UInt64) {
        guard let stop = stop.take() else { return }
        for number in Array(single.keys) {
            let times = single[number]?[.direct] ?? []
            single[number]?[.direct] = times.map { $0 >= stop ? time : $0 }
        }
    }
}
