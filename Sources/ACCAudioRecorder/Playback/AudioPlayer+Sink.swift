import CPulse

extension AudioPlayer {
    /// A sink of the server.
    struct Sink {
        /// The server's number of the sink.
        let index: UInt32
        let name: String
        /// The human-readable name.
        let description: String

        init(index: UInt32, name: String, description: String) {
            (self.index, self.name, self.description) = (index, name, description)
        }

        /// Nil for a sink without a name, which only a faulty server lists.
        init?(pulse info: pa_sink_info) {
            guard let name = info.name.map({ String(cString: $0) }) else { return nil }
            self.init(index: info.index, name: name, description: info.description.map { String(cString: $0) } ?? name)
        }

        /// The name by which libpulse plays on the requested sink.
        ///
        /// - Parameter requested: A sink's name, `@DEFAULT_SINK@`, the server's number, or a part of a name or description
        ///   that no other has.
        /// - Throws: `audioEngineStartFailed`, listing the sinks.
        static func name(for requested: String, among sinks: [Sink]) throws(ACCAudioRecorderError) -> String {
            if requested == "@DEFAULT_SINK@" || sinks.contains(where: { $0.name == requested }) { return requested }
            let found = sinks.filter { $0.matches(requested) }
            guard let sink = found.first else {
                let nearest = NearestWord.to(requested, among: sinks.flatMap { [$0.name, $0.description] })
                let hint = nearest.map { "Did you mean '\($0)'? " } ?? ""
                throw failure(
                    .noSuchSource, requested, cause: "no such sink",
                    remedy: sinks.isEmpty ? "The server has no sinks." : "\(hint)Name one of", choices: sinks)
            }
            guard found.count == 1 else {
                throw failure(
                    .ambiguousSource, requested, cause: "it matches \(found.count) sinks",
                    remedy: "Name one of", choices: found)
            }
            return sink.name
        }

        /// A number is never part of a name: if its device is gone, it must not match another one.
        private func matches(_ requested: String) -> Bool {
            let isNumber = requested.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
            guard !isNumber else { return "\(index)" == requested }
            let part = requested.lowercased()
            return name.lowercased().contains(part) || description.lowercased().contains(part)
        }

        private static func failure(
            _ reason: ACCAudioRecorderError.Failure.Reason, _ requested: String, cause: String, remedy: String,
            choices: [Sink]
        ) -> ACCAudioRecorderError {
            .audioEngineStartFailed(
                .init(
                    reason, "cannot play on '\(requested)'", cause: cause, remedy: remedy,
                    choices: choices.map { .init(name: $0.name, details: $0.description) }))
        }
    }
}

extension PulseConnection {
    /// The server's sinks. Blocks; for threads of ours.
    func waitForSinks() throws(CaptureFailure) -> [AudioPlayer.Sink] {
        try ask({ AudioPlayer.Sink(pulse: $0) }) { context, userdata in
            pa_context_get_sink_info_list(
                context,
                { context, info, end, userdata in
                    PulseQuery.deliver(info, end: end, context: context, to: userdata)
                }, userdata)
        }.wait().get()
    }
}
