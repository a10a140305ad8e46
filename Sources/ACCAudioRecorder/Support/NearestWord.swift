/// Finds the word that was probably meant by a misspelt one.
package enum NearestWord {
    /// The nearest word by edit distance (letters changed, inserted, deleted or swapped with the next), or nil if more
    /// than a third of the letters differ; in short words two may differ.
    package static func to(_ word: String, among words: some Sequence<String>) -> String? {
        let count = word.count
        let limit = max(count / 3, min(2, count - 1))
        // The difference in length is a lower bound of the distance, which is slow to compute for long words.
        let nearest = words.filter { abs($0.count - count) <= limit }
            .map { (word: $0, distance: distance(from: word, to: $0)) }.min { $0.distance < $1.distance }
        return nearest.flatMap { $0.distance <= limit ? $0.word : nil }
    }

    /// The optimal string alignment distance.
    private static func distance(from word: String, to other: String) -> Int {
        let word = Array(word.lowercased())
        let other = Array(other.lowercased())
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for row in word.indices {
            var current = [row + 1]
            for column in other.indices {
                let isSame = word[row] == other[column]
                var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, word[row] == other[column - 1], word[row - 1] == other[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
