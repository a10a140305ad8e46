/// A terminal's window, in character cells.
struct WindowSize: Equatable {
    var columns: Int
    var rows: Int
}
