/// Suggestions for a mistyped name.
package enum Suggestions {
    /// Returns the hint for an unknown name: `did you mean films? known are films, photos`; nil if no name is known.
    /// Without a similar name, the question is left out.
    package static func hint(for word: String, among names: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let known = "known are \(names.joined(separator: ", "))"
        return nearest(to: word, among: names).map { "did you mean \($0)? \(known)" } ?? known
    }

    /// Returns the name with the smallest edit distance; nil if the distance is more than 1 and more than a third of
    /// the word's length.
    package static func nearest(to word: String, among names: [String]) -> String? {
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
