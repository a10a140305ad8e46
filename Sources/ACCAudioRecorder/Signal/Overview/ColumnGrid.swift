/// Where frames belong in a bounded number of columns of equal length. When all columns are full, each two become one.
struct ColumnGrid: Hashable {
    let capacity: Int
    private(set) var framesPerColumn: Int
    /// The number of frames so far.
    private(set) var frameCount = 0

    /// - Parameters:
    ///   - capacity: At least 2.
    ///   - shortest: The length that a column has at least, in frames.
    ///   - expectedFrames: The number of frames that probably come; 0 if unknown.
    init(capacity: Int, shortest: Int = 1, expectedFrames: Int) {
        self.capacity = capacity
        let frames = min(expectedFrames, Self.mostExpected)
        framesPerColumn = max(frames / capacity + (frames % capacity == 0 ? 0 : 1), shortest, 1)
    }

    /// A damaged header may state any number, and columns of that length would never be full.
    private static let mostExpected = 1 << 48

    /// The number of columns that have a frame.
    var columnCount: Int { frameCount / framesPerColumn + (frameCount % framesPerColumn == 0 ? 0 : 1) }

    /// Whether the next frame needs a column more than there are. Then halve the columns, and call `merge`.
    var isFull: Bool { frameCount == framesPerColumn * capacity }

    /// Doubles the length of the columns.
    mutating func merge() { framesPerColumn *= 2 }

    /// The column of the next frame.
    var column: Int { frameCount / framesPerColumn }

    /// How many frames that column has so far, and how many it still lacks.
    var framesInColumn: Int { frameCount % framesPerColumn }
    var framesToNextColumn: Int { framesPerColumn - framesInColumn }

    mutating func advance(by frames: Int) { frameCount += frames }
}
