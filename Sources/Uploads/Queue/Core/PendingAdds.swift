/// The files that commands are adding now, without those of `AddRule.all`, which the queue may contain twice.
package struct PendingAdds {
    /// The number that identifies the files of one command.
    package typealias Mark = Int

    private var files: [Mark: Set<UploadKey>] = [:]
    private var last: Mark = 0

    var isEmpty: Bool { files.isEmpty }

    func contains(_ file: UploadKey) -> Bool { files.values.contains { $0.contains(file) } }

    mutating func begin(_ added: Set<UploadKey>) -> Mark {
        last += 1
        files[last] = added
        return last
    }

    mutating func end(_ mark: Mark) { files[mark] = nil }
}
