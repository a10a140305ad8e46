/// The right word that was probably meant.
enum NearestWord {
    /// The nearest of the words, by the letters that have to be changed, added, left out or swapped with the next one;
    /// nil where more than a third of the letters would have to be, two where the word is short.
    static func to(_ word: String, among words: some Sequence<String>) -> String? {
        let nearest = words.map { (word: $0, distance: distance(from: word, to: $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(word.count / 3, min(2, word.count - 1)) else { return nil }
        return nearest.word
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
