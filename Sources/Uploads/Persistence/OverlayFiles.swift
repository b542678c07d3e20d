import Synchronization

/// A view of a state folder with changes in memory only, for `Recovery` without a change of the files on disk.
final class OverlayFiles: StateFiles {
    private enum Entry {
        /// An unchanged file of this name on disk, perhaps under another name in the view.
        case real(String)
        case changed(MemoryFile)
        case removed
    }

    private let base: any StateFiles
    private let entries = Mutex<[String: Entry]>([:])

    init(_ base: any StateFiles) { self.base = base }

    var path: String { base.path }

    func names() throws(SystemCallError) -> [String] {
        var names = Set(try base.names())
        for (name, entry) in entries.withLock({ $0 }) {
            if case .removed = entry { names.remove(name) } else { names.insert(name) }
        }
        return Array(names)
    }

    func open(_ name: String, for access: FileAccess) throws(SystemCallError) -> (any StateFile)? {
        let entry = entries.withLock { $0[name] } ?? .real(name)
        switch entry {
        case .removed: return nil
        case .changed(let file): return file
        case .real(let real):
            guard let file = try base.open(real, for: .reading) else { return nil }
            guard access == .appending else { return file }
            let copy = MemoryFile(try file.content())
            entries.withLock { $0[name] = .changed(copy) }
            return copy
        }
    }

    func create(_ name: String) throws(SystemCallError) -> any StateFile {
        let file = MemoryFile([])
        entries.withLock { $0[name] = .changed(file) }
        return file
    }

    func link(_ name: String, as other: String) throws(SystemCallError) {
        entries.withLock { $0[other] = $0[name] ?? .real(name) }
    }

    func rename(_ name: String, to other: String) throws(SystemCallError) {
        entries.withLock {
            $0[other] = $0[name] ?? .real(name)
            $0[name] = .removed
        }
    }

    func remove(_ name: String) throws(SystemCallError) { entries.withLock { $0[name] = .removed } }

    func isSame(_ name: String, _ other: String) throws(SystemCallError) -> Bool {
        try base.isSame(name, other)
    }

    func synchronize() throws(SystemCallError) {}
}

final class MemoryFile: StateFile {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    func length() throws(SystemCallError) -> Int { bytes.withLock { $0.count } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
        let part = bytes.withLock { Array($0.dropFirst(offset).prefix(buffer.count)) }
        buffer.copyBytes(from: part)
        return part.count
    }

    func append(_ more: UnsafeRawBufferPointer) throws(SystemCallError) {
        let more = Array(more)
        bytes.withLock { $0 += more }
    }

    func truncate(to length: Int) throws(SystemCallError) {
        bytes.withLock { $0.removeLast(max(0, $0.count - length)) }
    }

    func synchronize() throws(SystemCallError) {}
}
