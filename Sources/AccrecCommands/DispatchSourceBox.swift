import Dispatch

/// A dispatch source that is handed to the one who ends it.
///
/// `@unchecked Sendable`: after it is set up, a source is only cancelled, which any thread may do.
struct DispatchSourceBox: @unchecked Sendable {
    let source: any DispatchSourceProtocol
}
