import ACCAudioRecorder
import ArgumentParser

extension InterruptionPolicy.DisconnectBehavior: ChoiceArgument {
    /// What help says of each.
    public static var allValueDescriptions: [String: String] {
        [
            "pause": "wait for it, and go on in the same file",
            "fallback": "go on with the best of the other sources",
            "stop": "end the take and keep it",
            "discard": "end the take and remove it",
        ]
    }
}
