import FerryUploads

/// The states of uploads as they were last printed. The states of consecutive numbers share an array, so that a million
/// take 24 MB. A copy of the queue would take 136 MB, because an order on all uploads changes each of them.
struct PrintedStates {
    private static let chunkSize = 64

    private var chunks: [Int: [Upload.State?]] = [:]

    /// Sets the state of an upload, or forgets it if `state` is nil. Returns the state before; nil if there was none.
    @discardableResult
    mutating func update(_ id: Upload.ID, _ state: Upload.State?) -> Upload.State? {
        let (chunk, index) = id.quotientAndRemainder(dividingBy: Self.chunkSize)
        var previous = state
        swap(&previous, &chunks[chunk, default: Array(repeating: nil, count: Self.chunkSize)][index])
        if state == nil, chunks[chunk]?.allSatisfy({ $0 == nil }) ?? false { chunks[chunk] = nil }
        return previous
    }
}
