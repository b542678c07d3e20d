/// A search for bytes in a text, faster than `String.contains(_:)`, which builds a table for each search. It also finds
/// bytes that begin or end within a `Character`.
enum ByteSearch {
    /// True if the UTF-8 of `text` contains `needle`. An empty needle is in every text.
    static func finds(_ needle: [UInt8], in text: some StringProtocol) -> Bool {
        let found = text.utf8.withContiguousStorageIfAvailable { first(needle[...], in: $0, from: 0) != nil }
        return found
            ?? Array(text.utf8).withUnsafeBufferPointer { first(needle[...], in: $0, from: 0) != nil }
    }

    /// Returns the position of the first `needle` in `bytes` at or after `start`; nil if there is none.
    static func first(_ needle: ArraySlice<UInt8>, in bytes: UnsafeBufferPointer<UInt8>, from start: Int)
        -> Int?
    {
        guard let first = needle.first else { return start }
        guard bytes.count - start >= needle.count else { return nil }
        for position in start...(bytes.count - needle.count) where bytes[position] == first {
            var index = 1
            while index < needle.count, bytes[position + index] == needle[needle.startIndex + index] {
                index += 1
            }
            if index == needle.count { return position }
        }
        return nil
    }
}
