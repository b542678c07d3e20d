/// Finds a word in texts of a `TextColumn`, sixteen places at a time: where its first and its last byte stand as far from
/// each other as in the word, the rest is compared.
struct ByteSearch {
    private typealias Vector = SIMD16<UInt8>

    private let word: [UInt8]
    private let first: Vector
    private let last: Vector
    private static let lanes = Vector(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

    init(_ word: [UInt8]) {
        self.word = word
        first = Vector(repeating: word.first ?? 0)
        last = Vector(repeating: word.last ?? 0)
    }

    /// - Parameter text: Behind which `TextColumn.padding` bytes may be read.
    func finds(in text: UnsafeRawBufferPointer) -> Bool {
        guard let base = text.baseAddress, !word.isEmpty else { return word.isEmpty }
        var start = 0
        while start + word.count <= text.count {
            let begins = (base + start).loadUnaligned(as: Vector.self) .== first
            let ends = (base + start + word.count - 1).loadUnaligned(as: Vector.self) .== last
            let places = min(16, text.count - word.count - start + 1)
            let hits = begins .& ends .& (Self.lanes .< Vector(repeating: UInt8(places)))
            if any(hits), word.count <= 2 || isWhole(base + start, hits) { return true }
            start += 16
        }
        return false
    }

    private func isWhole(_ base: UnsafeRawPointer, _ hits: SIMDMask<SIMD16<Int8>>) -> Bool {
        (0..<16).contains { lane in
            hits[lane]
                && word.indices.dropFirst().dropLast().allSatisfy {
                    base.load(fromByteOffset: lane + $0, as: UInt8.self) == word[$0]
                }
        }
    }
}
