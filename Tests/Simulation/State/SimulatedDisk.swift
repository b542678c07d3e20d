package import FerryUploads
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder in memory. A power cut loses everything in it that was not synced. A test can make any call fail or stop
/// the disk.
package final class SimulatedDisk: StateFiles {
    package struct Call: Sendable, Equatable {
        enum Kind: String, Sendable { case names, open, create, link, rename, remove, synchronizeFolder }
        enum FileKind: String, Sendable { case read, append, truncate, synchronize }

        package var number: Int
        package var name: String
        /// The raw value of `Kind` or `FileKind`.
        package var kind: String
    }

    package enum Fault: Sendable {
        case fails(Int32)
        /// Half of the bytes are written, and the call fails.
        case failsHalfway(Int32)
        /// The process ends before the call, or in the middle of a write. All later calls fail.
        case kill
    }

    /// The part of the unsynced bytes that a power cut leaves.
    package enum Remains: CaseIterable, Sendable { case nothing, half, zeros, everything }

    /// The part of the unsynced changes of names that a power cut leaves.
    package enum NameRemains: Hashable, Sendable {
        /// The first changes in order. Journaling file systems behave like this.
        case first(Int)
        /// The removals alone, as on other file systems.
        case removals
    }

    private struct Inode: Sendable {
        var content: [UInt8] = []
        var durable: [UInt8] = []
        /// The bytes that were written before a failed sync. No later sync writes them, as on Linux.
        var forgotten: Range<Int>?
    }

    private struct State: Sendable {
        var inodes: [Inode] = []
        var names: [String: Int] = [:]
        /// The names at the last sync of the folder, and after each later change of them.
        var history: [[String: Int]] = [[:]]
        var calls: [Call] = []
        var isKilled = false
        var fault: @Sendable (Call) -> Fault? = { _ in nil }
    }

    package let path = "/state"
    private let state = Mutex(State())

    package init() {}

    private init(_ inodes: [Inode], history: [[String: Int]]) {
        state.withLock {
            $0.inodes = inodes
            $0.names = history.last ?? [:]
            $0.history = history
        }
    }

    /// Sets the function that returns the fault of each call; nil if the call succeeds.
    package func fail(_ fault: @escaping @Sendable (Call) -> Fault?) { state.withLock { $0.fault = fault } }

    package var calls: [Call] { state.withLock { $0.calls } }

    /// Returns the disk that the next process finds after a kill.
    package func restarted() -> SimulatedDisk {
        state.withLock { SimulatedDisk($0.inodes, history: $0.history) }
    }

    /// Returns the disk that the next process finds after a power cut.
    package func powerCut(keeping remains: Remains, names: NameRemains = .first(0)) -> SimulatedDisk {
        state.withLock { state in
            let inodes = state.inodes.map { inode in
                let content = Self.remaining(inode, remains)
                return Inode(content: content, durable: content)
            }
            let left =
                switch names {
                case .first(let changes): state.history[min(changes, state.history.count - 1)]
                case .removals: state.history[0].filter { state.names[$0.key] != nil }
                }
            return SimulatedDisk(inodes, history: [left])
        }
    }

    private static func remaining(_ inode: Inode, _ remains: Remains) -> [UInt8] {
        guard inode.content.count > inode.durable.count else {
            return remains == .everything ? inode.content : inode.durable
        }
        let added = inode.content.count - inode.durable.count
        return switch remains {
        case .nothing: inode.durable
        case .half: inode.durable + inode.content[inode.durable.count...].prefix(added / 2)
        case .zeros: inode.durable + [UInt8](repeating: 0, count: added)
        case .everything: inode.content
        }
    }

    package func content(of name: String) -> [UInt8]? {
        state.withLock { state in state.names[name].map { state.inodes[$0].content } }
    }

    package func put(_ content: [UInt8], as name: String) {
        state.withLock { state in
            state.inodes.append(Inode(content: content, durable: content))
            state.names[name] = state.inodes.count - 1
            state.history = [state.names]
        }
    }

    package func delete(_ name: String) {
        state.withLock {
            $0.names[name] = nil
            $0.history = [$0.names]
        }
    }

    package var fileNames: Set<String> { state.withLock { Set($0.names.keys) } }

    // Records the call, and performs it or fails.
    private func call<Result>(
        _ kind: String, _ name: String = "", halfway: (inout State) -> Void = { _ in },
        _ body: (inout State) -> Result?
    ) throws(SystemCallError) -> Result {
        let result: Swift.Result<Result, SystemCallError> = state.withLock { state in
            let failure = { (code: Int32) in
                SystemCallError(call: kind, name: name, code: Errno(rawValue: code))
            }
            guard !state.isKilled else { return .failure(failure(EINTR)) }
            let call = Call(number: state.calls.count, name: name, kind: kind)
            state.calls.append(call)
            switch state.fault(call) {
            case .fails(let code):
                if kind == Call.FileKind.synchronize.rawValue, let inode = state.names[name] {
                    Self.forget(&state.inodes[inode])
                }
                return .failure(failure(code))
            case .failsHalfway(let code):
                halfway(&state)
                return .failure(failure(code))
            case .kill:
                halfway(&state)
                state.isKilled = true
                return .failure(failure(EINTR))
            case nil: break
            }
            let result = body(&state)
            if state.names != state.history.last { state.history.append(state.names) }
            return result.map { .success($0) } ?? .failure(failure(kind == "create" ? EEXIST : ENOENT))
        }
        return try result.get()
    }

    private static func forget(_ inode: inout Inode) {
        guard inode.content.count > inode.durable.count else { return }
        inode.forgotten = (inode.forgotten?.lowerBound ?? inode.durable.count)..<inode.content.count
    }

    package func names() throws(SystemCallError) -> [String] { try call("names") { Array($0.names.keys) } }

    package func open(_ name: String, for access: FileAccess) throws(SystemCallError) -> (any StateFile)? {
        let inode: Int?? = try call("open", name) { .some($0.names[name]) }
        guard let inode, let inode else { return nil }
        return Handle(disk: self, inode: inode, name: name)
    }

    package func create(_ name: String) throws(SystemCallError) -> any StateFile {
        let inode = try call("create", name) { state -> Int? in
            guard state.names[name] == nil else { return nil }
            state.inodes.append(Inode())
            state.names[name] = state.inodes.count - 1
            return state.inodes.count - 1
        }
        return Handle(disk: self, inode: inode, name: name)
    }

    package func link(_ name: String, as other: String) throws(SystemCallError) {
        try call("link", name) { state -> Void? in
            guard let inode = state.names[name], state.names[other] == nil else { return nil }
            state.names[other] = inode
            return ()
        }
    }

    package func rename(_ name: String, to other: String) throws(SystemCallError) {
        try call("rename", name) { state -> Void? in
            guard let inode = state.names[name] else { return nil }
            // rename(2) does nothing if both names refer to the same file.
            guard state.names[other] != inode else { return () }
            state.names[other] = inode
            state.names[name] = nil
            return ()
        }
    }

    package func remove(_ name: String) throws(SystemCallError) {
        try call("remove", name) { state -> Void? in
            state.names[name] = nil
            return ()
        }
    }

    package func isSame(_ name: String, _ other: String) throws(SystemCallError) -> Bool {
        state.withLock { $0.names[name] != nil && $0.names[name] == $0.names[other] }
    }

    package func synchronize() throws(SystemCallError) {
        try call("synchronizeFolder") { state -> Void? in
            state.history = [state.names]
            return ()
        }
    }

    private final class Handle: StateFile {
        let disk: SimulatedDisk
        let inode: Int
        let name: String

        init(disk: SimulatedDisk, inode: Int, name: String) {
            self.disk = disk
            self.inode = inode
            self.name = name
        }

        func length() throws(SystemCallError) -> Int {
            disk.state.withLock { $0.inodes[inode].content.count }
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
            try disk.call("read", name) { state -> Int? in
                let content = state.inodes[inode].content.dropFirst(offset).prefix(buffer.count)
                buffer.copyBytes(from: content)
                return content.count
            }
        }

        func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
            try disk.call(
                "append", name,
                halfway: { $0.inodes[inode].content += bytes.prefix(bytes.count / 2) },
                { state -> Void? in
                    state.inodes[inode].content += bytes
                    return ()
                })
        }

        func truncate(to length: Int) throws(SystemCallError) {
            try disk.call("truncate", name) { state -> Void? in
                state.inodes[inode].content.removeLast(state.inodes[inode].content.count - length)
                return ()
            }
        }

        func synchronize() throws(SystemCallError) {
            try disk.call("synchronize", name) { state -> Void? in
                var written = state.inodes[inode].content
                if let forgotten = state.inodes[inode].forgotten {
                    for index in forgotten.clamped(to: 0..<written.count) { written[index] = 0 }
                }
                state.inodes[inode].durable = written
                return ()
            }
        }
    }
}
