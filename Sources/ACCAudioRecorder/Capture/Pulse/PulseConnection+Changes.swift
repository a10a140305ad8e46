import CPulse
import Synchronization

/// The changes that a server announces.
extension PulseConnection {
    func observe(_ onChange: @escaping @Sendable (ServerChange) -> Void) async throws(CaptureFailure) {
        let isSubscribed = mainLoop.locked {
            queries.onChange = onChange
            pa_context_set_subscribe_callback(
                context, { PulseConnection.changed(event: $1, index: $2, userdata: $3) },
                Unmanaged.passUnretained(queries).toOpaque())
            return queries.isSubscribed
        }
        // Asked once, so that a take that follows another one begins sooner.
        guard !isSubscribed else { return }
        _ = try await query({ (_: Void) in () }) { context, userdata in
            pa_context_subscribe(
                context,
                pa_subscription_mask_t(
                    PA_SUBSCRIPTION_MASK_SOURCE.rawValue | PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT.rawValue
                        | PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue
                        | PA_SUBSCRIPTION_MASK_SERVER.rawValue),
                { PulseQuery.deliver(nil, end: $1 == 0 ? -1 : 1, context: $0, to: $2) }, userdata)
        }
        mainLoop.locked { queries.isSubscribed = true }
    }

    /// How many changes the server has announced to the observer. Any thread may call; takes no lock.
    var changeCount: Int { queries.changeCount.load(ordering: .relaxed) }

    private static func changed(
        event: pa_subscription_event_type_t, index: UInt32, userdata: UnsafeMutableRawPointer?
    ) {
        let queries = Unmanaged<PulseQueries>.fromOpaque(userdata!).takeUnretainedValue()
        queries.changeCount.add(1, ordering: .relaxed)
        let kind: ServerChange.Kind
        switch event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue {
        case PA_SUBSCRIPTION_EVENT_NEW.rawValue: kind = .added
        case PA_SUBSCRIPTION_EVENT_REMOVE.rawValue: kind = .removed
        default: kind = .changed
        }
        switch event.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue {
        case PA_SUBSCRIPTION_EVENT_SOURCE.rawValue: queries.onChange?(.source(kind, index))
        case PA_SUBSCRIPTION_EVENT_SINK.rawValue: queries.onChange?(.sink(kind, index))
        case PA_SUBSCRIPTION_EVENT_SOURCE_OUTPUT.rawValue: queries.onChange?(.stream(kind, index))
        case PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue: queries.onChange?(.playback(kind, index))
        case PA_SUBSCRIPTION_EVENT_SERVER.rawValue: queries.onChange?(.server)
        default: break
        }
    }
}
