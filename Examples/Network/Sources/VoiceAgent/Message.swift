import ACCAudioRecorder
import Foundation
import NIOCore
import NIOWebSocket

/// What the agent sends, numbered from 0 without a gap.
///
/// Audio is a binary message: the number as eight bytes, big-endian, and 16-bit little-endian samples. Everything else is a text
/// message: a JSON object. The server answers the number of each message that it has received, as text.
struct Message: Sendable {
    enum Content: Sendable {
        case audio(Data)
        case notice(Notice)
    }

    /// What the server should know of the audio besides its samples.
    struct Notice: Codable, Equatable {
        enum Kind: String, Codable {
            /// The recorder lacks audio here, for this many seconds.
            case gap
            /// This many frames were recorded, but dropped here, because the server was away for too long.
            case dropped
            /// The recording has ended: the last message.
            case ended
        }

        var number = 0
        let kind: Kind
        var seconds: Double?
        var frames: Int?
        var cause: String?
    }

    let number: Int
    let content: Content

    init(_ number: Int, _ content: Content) {
        (self.number, self.content) = (number, content)
    }

    /// The message for a part of the audio; nil for one of a kind that the server does not know.
    init?(_ number: Int, _ part: RecordedAudio) {
        switch part {
        case .buffer(let buffer): self.init(number, .audio(buffer.toInt16Data()))
        case .gap(let gap):
            let seconds = gap.length / .seconds(1)
            self.init(number, .notice(.init(number: number, kind: .gap, seconds: seconds, cause: "\(gap.cause)")))
        case .dropped(let frames): self.init(number, .notice(.init(number: number, kind: .dropped, frames: frames)))
        case .ended: self.init(number, .notice(.init(number: number, kind: .ended)))
        @unknown default: return nil
        }
    }

    /// The frame of the WebSocket, masked as a client's must be.
    func frame() throws -> WebSocketFrame {
        switch content {
        case .audio(let samples):
            var buffer = ByteBuffer()
            buffer.writeInteger(UInt64(number))
            buffer.writeBytes(samples)
            return WebSocketFrame(fin: true, opcode: .binary, maskKey: .random(), data: buffer)
        case .notice(let notice):
            let json = ByteBuffer(bytes: try JSONEncoder().encode(notice))
            return WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: json)
        }
    }
}
