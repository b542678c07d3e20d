/// Suggestions for a mistyped name.
package enum Suggestions {
    /// Returns the question whether the user meant one of these names: "did you mean `films`?".
    package static func question(_ names: [String]) -> String {
        "did you mean \(names.map { "`\($0)`" }.joined(separator: " or "))?"
    }

    /// Returns the hint for an unknown name: "did you mean `films`? known are films, photos"; nil without names.
    package static func hint(for word: String, among names: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let known = "known are \(names.joined(separator: ", "))"
        return nearest(to: word, among: names).map { "\(question([$0])) \(known)" } ?? known
    }

    /// Returns the end of an error message: " (did you mean `films`?)"; empty without a similar name.
    package static func remark(on word: String, among names: [String]) -> String {
        nearest(to: word, among: names).map { " (\(question([$0])))" } ?? ""
    }

    /// Returns the name with the smallest edit distance, up to a third of the word; case does not matter.
    package static func nearest(to word: String, among names: [String]) -> String? {
        let word = Array(word.lowercased())
        let distances = names.map { ($0, distance(word, Array($0.lowercased()))) }
        return distances.min { $0.1 < $1.1 }.flatMap { $0.1 <= max(1, word.count / 3) ? $0.0 : nil }
    }

    /// Returns the optimal string alignment distance: letters inserted, removed, exchanged or swapped.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var previous: [Int] = []
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var next = [index + 1]
            for (column, other) in right.enumerated() {
                let exchanged = row[column] + (letter == other ? 0 : 1)
                var least = min(exchanged, row[column + 1] + 1, next[column] + 1)
                if index > 0, column > 0, letter == right[column - 1], left[index - 1] == other {
                    least = min(least, previous[column - 1] + 1)
                }
                next.append(least)
            }
            previous = row
            row = next
        }
        return row[right.count]
    }
}
