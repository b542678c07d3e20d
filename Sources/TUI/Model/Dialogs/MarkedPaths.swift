import FerryTransfer

/// The paths that the user has marked in the Add dialog, in the sequence of marking.
struct MarkedPaths: Hashable, Sendable {
    private(set) var paths: [LocalPath] = []
    private var known: Set<LocalPath> = []
    private var counts: [LocalPath: Int] = [:]

    var isEmpty: Bool { paths.isEmpty }
    var count: Int { paths.count }

    func contains(_ name: [UInt8], in folder: LocalPath) -> Bool {
        !known.isEmpty && known.contains(folder.appending(name))
    }

    func count(in folder: LocalPath) -> Int { counts[folder] ?? 0 }

    mutating func insert(_ name: [UInt8], in folder: LocalPath) {
        let path = folder.appending(name)
        guard known.insert(path).inserted else { return }
        paths.append(path)
        counts[folder, default: 0] += 1
    }

    mutating func toggle(_ name: [UInt8], in folder: LocalPath) {
        let path = folder.appending(name)
        guard known.remove(path) != nil else { return insert(name, in: folder) }
        paths.removeAll { $0 == path }
        counts[folder, default: 0] -= 1
    }
}
