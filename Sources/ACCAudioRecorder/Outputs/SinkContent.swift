/// What an output holds in the end.
struct SinkContent {
    /// Its size in bytes.
    let byteCount: Int
    /// Its whole frames, where a failed write left another number than was handed over; otherwise nil.
    var frameCount: Int?
}
