struct OpenJournal {
    var file: any StateFile
    var generation: Int
    /// The number of bytes at the beginning of `file` that survive a power cut.
    var durable: Int
    /// The later bytes of `file`, which are acknowledged, but which a power cut can destroy until the next sync.
    var volatile: [UInt8] = []

    var length: Int { durable + volatile.count }

    /// Returns the durable bytes from the file, with the volatile ones. `folder` is the path for errors.
    func content(inFolder folder: String) throws(JournalError) -> [UInt8] {
        let content: [UInt8]
        do throws(SystemCallError) { content = try file.content(from: 0, count: durable) } catch {
            throw JournalError(error, in: folder)
        }
        guard content.count == durable else {
            throw .damaged(path: folder, byte: 0, reason: "the journal became shorter")
        }
        return content + volatile
    }
}
