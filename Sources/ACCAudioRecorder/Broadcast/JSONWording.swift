/// How an encoder words problems for people, if not as the library does: for programs whose options have other names.
package struct JSONWording: Sendable {
    /// The key in an encoder's `userInfo`.
    package static let key = CodingUserInfoKey(rawValue: "ACCAudioRecorder.JSONWording")!

    private let error: @Sendable (ACCAudioRecorderError) -> String
    private let warning: @Sendable (RecordingWarning) -> String

    package init(
        error: @escaping @Sendable (ACCAudioRecorderError) -> String,
        warning: @escaping @Sendable (RecordingWarning) -> String
    ) {
        self.error = error
        self.warning = warning
    }

    static func text(of error: ACCAudioRecorderError, for encoder: any Encoder) -> String {
        (encoder.userInfo[key] as? JSONWording)?.error(error) ?? error.description
    }

    static func text(of warning: RecordingWarning, for encoder: any Encoder) -> String {
        (encoder.userInfo[key] as? JSONWording)?.warning(warning) ?? warning.description
    }
}
