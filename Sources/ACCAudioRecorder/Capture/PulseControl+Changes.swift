import CPulse
import Synchronization

/// What a server tells of without being asked.
extension PulseControl {
    /// Tells what happens to sources, streams and defaults from now on, on the main loop's thread. One observer a
    /// connection: a later one takes its place.
    func observe(_ onChange: @escaping @Sendable (ServerChange) -> Void) async throws(PulseFailure) {
        mainLoop.locked {
            queries.onChange = onChange
            pa_context_set_subscribe_callback(
                context, { PulseControl.changed(event: $1, index: $2, userdata: $3) },
                Unmanaged.passUnretained(queries).toOpaque())
        }
        _ = try await query({ (_: Void) in () }) { context, userdata in
            pa_context_subscribe(
                context,
                pa_subscription_mask_t(
                    PA_SUBSCRIPTION_MASK_SOURCE.rawValue | PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT.rawValue
                        | PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue
                        | PA_SUBSCRIPTION_MASK_SERVER.rawValue),
                { PulseQuery.deliver(nil, end: $1 == 0 ? -1 : 1, context: $0, to: $2) }, userdata)
        }
    }

    /// How often the server has told the observer of a change; nil where it may have told of one that is not heard yet. Any
    /// thread; takes no lock.
    var changeCount: Int? {
        mainLoop.calmly { heardChangeCount }
    }

    /// How often the server has told the observer of a change, as far as that is heard.
    var heardChangeCount: Int { queries.changeCount.load(ordering: .relaxed) }

    /// Tells each time that the sources, or which of them is the default, may have changed from now on, on the main
    /// loop's thread. For a connection that nothing else observes.
    func observeSources(_ onChange: @escaping @Sendable () -> Void) async throws(PulseFailure) {
        mainLoop.locked {
            queries.onSourcesChange = onChange
            pa_context_set_subscribe_callback(
                context, { Unmanaged<PulseQueries>.fromOpaque($3!).takeUnretainedValue().onSourcesChange?() },
                Unmanaged.passUnretained(queries).toOpaque())
        }
        _ = try await query({ (_: Void) in () }) { context, userdata in
            pa_context_subscribe(
                context,
                // The default is the server's own.
                pa_subscription_mask_t(
                    PA_SUBSCRIPTION_MASK_SOURCE.rawValue | PA_SUBSCRIPTION_MASK_SERVER.rawValue),
                { PulseQuery.deliver(nil, end: $1 == 0 ? -1 : 1, context: $0, to: $2) }, userdata)
        }
    }

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
