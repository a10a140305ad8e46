import ACCAudioRecorder

/// The messages that the server has not acknowledged yet. They are sent again after a reconnection, so what was on its way when
/// the connection broke is not lost.
actor Outbox {
    /// The server acknowledges nothing, as after a crash of its machine.
    struct Unacknowledged: Error {}

    /// How many messages may be sent without any acknowledgement: five seconds of audio, more than is sent at once after a
    /// reconnection.
    private static let patience = 250

    private var messages: [Message] = []
    private var count = 0
    private var unanswered = 0
    /// Whether the recording has ended, so that no message follows.
    private(set) var hasEnded = false

    /// Whether everything was sent and acknowledged.
    var isComplete: Bool { hasEnded && messages.isEmpty }

    /// Begins with a new connection.
    ///
    /// - Returns: The messages to send first.
    func reconnect() -> [Message] {
        unanswered = 0
        return messages
    }

    /// Adds a part of the audio.
    ///
    /// - Returns: The message to send; nil if there is nothing to send of the part.
    /// - Throws: `Unacknowledged` if the server has been silent for too long; the part is added nevertheless.
    func add(_ part: RecordedAudio) throws -> Message? {
        guard let message = Message(count, part) else { return nil }
        if case .ended = part { hasEnded = true }
        count += 1
        unanswered += 1
        messages.append(message)
        guard unanswered <= Self.patience else { throw Unacknowledged() }
        return message
    }

    /// Notes that the server has all messages up to this number.
    func acknowledge(through number: Int) {
        unanswered = 0
        messages.removeAll { $0.number <= number }
    }
}
