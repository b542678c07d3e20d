/// A search for bytes in a text. It is faster than `String.contains(_:)`, which compares characters and builds a table
/// for each search.
enum ByteSearch {
    /// True if the UTF-8 of `text` contains `needle`. An empty needle is in every text.
    static func finds(_ needle: [UInt8], in text: some StringProtocol) -> Bool {
        let found = text.utf8.withContiguousStorageIfAvailable { finds(needle, in: $0) }
        return found ?? Array(text.utf8).withUnsafeBufferPointer { finds(needle, in: $0) }
    }

    private static func finds(_ needle: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = needle.first else { return true }
        guard bytes.count >= needle.count else { return false }
        for start in 0...(bytes.count - needle.count) where bytes[start] == first {
            var index = 1
            while index < needle.count, bytes[start + index] == needle[index] { index += 1 }
            if index == needle.count { return true }
        }
        return false
    }
}
