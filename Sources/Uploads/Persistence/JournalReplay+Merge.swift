extension JournalReplay {
    struct Origin {
        var file: String
        var offset: Int
    }

    /// Calls `body` with the newest record of each upload that was not removed, in ascending order of ids.
    func merge(
        into base: SnapshotReader?,
        _ body: (Origin, UnsafeBufferPointer<UInt8>) throws(JournalError) -> Void
    ) throws(JournalError) {
        let changes = latest.sorted { $0.key < $1.key }
        var next = changes.startIndex
        func emit(_ change: (key: Upload.ID, value: Latest)) throws(JournalError) {
            guard case .set(let position) = change.value else { return }
            let origin = Origin(file: names[position.journal], offset: position.range.lowerBound)
            try withBytes(of: position) { bytes throws(JournalError) in try body(origin, bytes) }
        }
        if var base {
            let file = base.name
            try base.readRecords { id, offset, record throws(JournalError) in
                while next < changes.endIndex, changes[next].key < id {
                    try emit(changes[next])
                    next += 1
                }
                if next < changes.endIndex, changes[next].key == id {
                    try emit(changes[next])
                    next += 1
                } else {
                    try body(Origin(file: file, offset: offset), record)
                }
            }
        }
        while next < changes.endIndex {
            try emit(changes[next])
            next += 1
        }
    }
}
