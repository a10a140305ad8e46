import ACCAudioRecorder
import AsyncAlgorithms
import Foundation
import Hummingbird
import ServiceLifecycle

/// A page of the levels, and the events that it shows.
struct LevelsPage {
    let recorder: ACCAudioRecorder

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: Self.html)))
        }
        router.get("events") { [recorder] _, _ in
            // Subscriptions of this viewer's own: one with a slow network gets fewer levels, and delays nobody.
            let (levels, states) = (recorder.levels(), recorder.states())
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
                body: ResponseBody { writer in
                    let messages = merge(
                        levels.map { try Self.message("levels", $0) }, states.map { try Self.message("state", $0) })
                    for try await message in messages.cancelOnGracefulShutdown() { try await writer.write(message) }
                    try await writer.finish(nil)
                })
        }
        return router
    }

    /// A message of server-sent events, whose data is JSON.
    private static func message(_ event: String, _ value: some Encodable) throws -> ByteBuffer {
        var message = ByteBuffer(string: "event: \(event)\ndata: ")
        message.writeBytes(try JSONEncoder().encode(value))
        message.writeString("\n\n")
        return message
    }
}
