/// What a recording captures.
///
/// In JSON an input is `{"source": {"name": "mic"}}`, `{"source": {}}` for the default, `{"application": {"name": "zoom"}}` or
/// `{"desktop": {}}`.
@nonexhaustive
public enum RecordingInput: Sendable, Hashable {
    /// A source: its name; `@DEFAULT_SOURCE@` or `@DEFAULT_MONITOR@`; its index at the server; or a part of its name or
    /// description, case-insensitive, that matches no other source. A part matches a monitor only if nothing else matches.
    ///
    /// Nil for the source that `PULSE_SOURCE` specifies in the same way, or else the server's default. If that is
    /// not allowed or not plugged in, the best other source: plugged in before unplugged, microphones before
    /// filters, then in the order of ``SourceKind``.
    case source(String?)
    /// What one application plays: all its streams, mixed, as they come and go. It stays audible.
    ///
    /// It is specified by its process ID, its name or that of its executable file, a part of either, or a part of the title
    /// of what it plays, which then is all that is captured; case does not matter. `firefox:Title` means what
    /// the application `firefox` plays under that title. The recording keeps to the program that it began with, also when
    /// that is started again.
    ///
    /// An application that plays nothing is waited for: the recording begins with its first sound, and pauses while it
    /// plays nothing, for ``InterruptionPolicy/timeout`` at most.
    case application(String)
    /// What the desktop plays: the monitor of the server's default sink. When another sink becomes the default, the recording
    /// goes on with that one's.
    case desktop
}

/// Which channels a recording of several inputs has.
@nonexhaustive
public enum InputLayout: String, Sendable, Hashable, CaseIterable, Codable {
    /// Those of each input after those of the one before.
    case tracks
    /// The sum of all inputs, in the channels of one.
    case mix
}

extension RecordingInput {
    /// What follows the server's default sink, as a request for a source; nil for others.
    var followedMonitor: String? { self == .desktop ? "@DEFAULT_MONITOR@" : nil }

    /// Names the input for people, as the options of `accrec` do: `app:zoom`, `desktop`, `mic`, or the requested source.
    public var name: String {
        switch self {
        case .source(let name): name ?? "mic"
        case .application(let name): "app:\(name)"
        case .desktop: "desktop"
        }
    }

    /// The input with this name, as the options of `accrec` name it; nil for an empty one.
    public init?(named name: String) {
        let application = "app:"
        switch name {
        case "", application: return nil
        case "mic": self = .source(nil)
        case "desktop": self = .desktop
        case _ where name.hasPrefix(application): self = .application(String(name.dropFirst(application.count)))
        default: self = .source(name)
        }
    }

    /// The application; nil for a source.
    var application: String? { if case .application(let name) = self { name } else { nil } }
}

/// What is done to one of several inputs of a recording before they are put together.
///
/// In JSON settings are an object with `channels`, `gain` and `delay` in seconds.
public struct InputSettings: Sendable, Hashable {
    /// The longest ``delay``: five seconds.
    public static let longestDelay = Duration.seconds(5)

    /// Its channels to record, in this order, counted from 1; empty, the default, for those that the configuration selects.
    public var selectedChannels: [Int]
    /// By how much it is amplified, in dB, from -120 to 60; 0 by default, and then its samples do not change. The sum is
    /// limited where a file is written, and only in a file of integers.
    public var gain: Double
    /// How much later than it was captured it is placed, from -5 s to 5 s; zero by default. The levels of a recording
    /// are later by the greatest difference between two inputs.
    public var delay: Duration

    /// Creates settings.
    public init(selectedChannels: [Int] = [], gain: Double = 0, delay: Duration = .zero) {
        self.selectedChannels = selectedChannels
        self.gain = gain
        self.delay = delay
    }
}

extension RecordingInput: Codable {
    private enum CodingKeys: CodingKey { case source, application, desktop }
    private enum SourceCodingKeys: String, CodingKey { case _0 = "name" }
    private enum ApplicationCodingKeys: String, CodingKey { case _0 = "name" }
}

extension InputSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case gain, delay
        case selectedChannels = "channels"
    }

    /// Decodes what is there.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.decode(.selectedChannels, into: &selectedChannels)
        try container.decode(.gain, into: &gain)
        try container.decode(.delay, into: &delay)
    }
}

extension [RecordingInput] {
    /// Why a recording of these inputs has no channels of one with this name; nil if it has.
    func obstacle(toTrack name: String, _ layout: InputLayout) -> (cause: String, remedy: String)? {
        if count == 1 { return ("the recording has one input only", "Leave the input out.") }
        if layout != .tracks { return ("the inputs are mixed", "Record them as tracks.") }
        if contains(where: { $0.name == name }) { return nil }
        return ("it is not recorded", "Name one of \(map(\.name).joined(separator: ", ")).")
    }
}
