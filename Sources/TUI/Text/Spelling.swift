/// What somebody may have meant who has mistyped a name.
public enum Spelling {
    /// The name with the fewest letters to put in, leave out or exchange; nil if none is near.
    public static func nearest(to word: String, among names: [String]) -> String? {
        let word = Array(word.lowercased())
        let distances = names.map { ($0, distance(word, Array($0.lowercased()))) }
        return distances.min { $0.1 < $1.1 }.flatMap { $0.1 <= max(1, word.count / 3) ? $0.0 : nil }
    }

    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let exchanged = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(exchanged, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
