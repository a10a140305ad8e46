/// How far the present file of an output is, as the thread that writes it says.
struct PieceProgress {
    /// How many cuts there have been before it, those among them that could not be made.
    var cutCount = 0
    /// Frames in it.
    var frameCount = 0
    /// Its size in bytes.
    var byteCount = 0
}
