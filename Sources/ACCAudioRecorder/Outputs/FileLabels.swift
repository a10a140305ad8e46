/// What a file says of itself besides its samples: what its channels are, and when it begins.
struct FileLabels {
    let container: Container
    let form: FrameForm
    /// What the file is a recording of, for people.
    let sourceDescription: String
    let storesStartTime: Bool

    init(_ container: Container, _ form: FrameForm, source: AudioSource, storesStartTime: Bool) {
        self.container = container
        self.form = form
        sourceDescription = source.description
        self.storesStartTime = storesStartTime
    }

    /// The positions in words, where the container has no place for them of its own.
    var comment: String? {
        container.hasPlace(for: form.channelMap) ? nil : "Channels: \(form.channelMap)"
    }
}
