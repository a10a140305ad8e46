import ACCAudioRecorder

// What the snippets of the documentation use without showing it. `scripts/check-client` compiles them beside this file.

/// Shows a level, a state or a text.
func show(_ value: some Sendable) {}

/// Passes audio on.
func append(_ buffer: AudioBufferData) async {}

/// Passes silence on, in frames.
func append(silence frameLength: Int) async {}
