import FoundationEssentials

extension RecordingEngine {
    /// What belongs to one stretch of a recording.
    struct Stretch: ~Copyable {
        var timeline: StretchTimeline
        var publisher: BufferPublisher
        var observation: LevelObservation?

        /// - Parameters:
        ///   - spec: The source's.
        ///   - form: The recording's.
        ///   - levels: The level of the recording until now.
        init(
            of spec: SampleSpec, in form: FrameForm, levels: [ChannelLevel],
            configuration: ACCAudioRecorder.Configuration, broadcast: RecordingBroadcast, observer: LevelObserver?
        ) {
            let clipThreshold = LevelMeter.clipThreshold(integerBits: spec.format.integerBits)
            timeline = StretchTimeline(inputRate: spec.sampleRate, outputRate: form.sampleRate)
            publisher = BufferPublisher(
                bufferFrames: Int(configuration.bufferSize), form: form, total: levels, clipThreshold: clipThreshold,
                broadcast: broadcast)
            observation = observer.map {
                LevelObservation(
                    $0, form: form, clippedCount: levels.reduce(0) { $0 + $1.clippedCount },
                    clipThreshold: clipThreshold)
            }
        }

        /// How much is to come before the observer is told again, in seconds; infinity where there is none.
        var timeUntilObserved: TimeInterval {
            switch observation {
            case .some(let observation): observation.timeLeft
            case nil: .infinity
            }
        }

        /// Measures and publishes the next frames of the recording.
        mutating func publish(_ block: AudioBlock, first: Int, hostTime: UInt64, isTimeStill: Bool = false) {
            publisher.take(block, first: first, hostTime: hostTime, isTimeStill: isTimeStill)
            observation?.take(block, first: first)
        }

        /// Measures and publishes what is left.
        mutating func flush() {
            publisher.flush()
            observation?.flush()
        }
    }
}
