import FerryTransfer
import FerryUploads

extension UploadFilter {
    /// Those of the rows that fit, in the same order. Says the same as `fits` of each, and goes through a hundred thousand
    /// within the time of a frame: word by word, each over what those before have left.
    func fitting(_ slots: [Slot], in columns: inout UploadColumns) -> [Slot] {
        var slots = slots
        for term in terms {
            switch term.subject {
            case .path(let word):
                let search = ByteSearch(word)
                slots = columns.gatherPaths().withTexts { paths in
                    slots.filter { search.finds(in: paths[$0]) != term.isNegated }
                }
            case .state(let kinds):
                slots = columns.withUploads { uploads in
                    slots.filter {
                        kinds.contains(StateKinds(uploads[$0.index].state)) != term.isNegated
                    }
                }
            case .target(let word):
                var search = TargetSearch(word)
                slots = columns.withUploads { uploads in
                    slots.filter { slot in
                        // Part by part: a copy of the whole target would count all its references.
                        let isFound =
                            search.finds(
                                in: uploads[slot.index].target.destination, uploads[slot.index].target.url)
                            || Self.contains(word, uploads[slot.index].target.name.utf8)
                        return isFound != term.isNegated
                    }
                }
            case .batch(let word):
                slots = columns.withUploads { uploads in
                    slots.filter { slot in
                        let batch = uploads[slot.index].batch
                        return (batch.map { Self.contains(word, $0.utf8) } ?? false) != term.isNegated
                    }
                }
            case .largerThan(let size):
                slots = columns.withUploads { uploads in
                    slots.filter { (uploads[$0.index].identity.size > size) != term.isNegated }
                }
            case .smallerThan(let size):
                slots = columns.withUploads { uploads in
                    slots.filter { (uploads[$0.index].identity.size < size) != term.isNegated }
                }
            }
        }
        return slots
    }

    /// Finds a word in where uploads go. One after the other goes to the same place, which is looked at once.
    private struct TargetSearch {
        private let word: [UInt8]
        private var last: (destination: String, url: String, isFound: Bool)?

        init(_ word: [UInt8]) { self.word = word }

        mutating func finds(in destination: String, _ url: String) -> Bool {
            if let last, last.destination == destination, last.url == url { return last.isFound }
            let isFound =
                UploadFilter.contains(word, destination.utf8) || UploadFilter.contains(word, url.utf8)
            last = (destination, url, isFound)
            return isFound
        }
    }

    /// Appends a path as words are looked for in it.
    static func writeSmall(_ path: [UInt8], to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: path)
        text.withUnsafeMutableBufferPointer { text in
            for index in start..<text.count { text[index] = small(text[index]) }
        }
    }
}
