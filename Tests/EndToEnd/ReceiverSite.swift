import FerryReceiver
import FerryTestSupport
import Foundation
import Synchronization

/// A receiver in this process, with a folder of its own.
struct ReceiverSite: Sendable {
    let folder: String
    let port: Int
    let url: String
    let receiver: UploadReceiver
    let log: ReceiverLog

    var tusURL: String { url + "files/" }

    func content(_ name: String) -> Data? { FileManager.default.contents(atPath: folder + "/" + name) }

    /// Returns the names of stored files.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != ".ferry" }.sorted()
    }

    /// Returns the paths of stored files below the folder.
    func files() -> [String] {
        let paths = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        return paths.filter { path in
            var isFolder: ObjCBool = false
            return !path.hasPrefix(".ferry")
                && FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// Returns the names of the files that belong to unfinished uploads.
    func unfinished() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/.ferry").filter { $0 != "lock" }
    }

    static func with<Result: Sendable>(
        _ configure: (inout ReceiverConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (ReceiverSite) async throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        var configuration = ReceiverConfiguration(directory: directory.path)
        configure(&configuration)
        let log = ReceiverLog()
        let receiver = try UploadReceiver(configuration) { log.add($0) }
        let (addresses, started) = AsyncStream<ReceiverAddress>.makeStream()
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                defer { started.finish() }
                try await receiver.run { started.yield($0) }
                return nil
            }
            group.addTask {
                guard let address = await addresses.first(where: { _ in true }) else {
                    throw CancellationError()
                }
                return try await body(
                    ReceiverSite(
                        folder: directory.path, port: address.port, url: address.url, receiver: receiver,
                        log: log))
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }
}

/// The events of a receiver. A test can wait for them.
final class ReceiverLog: Sendable {
    /// The sums over all uploads.
    struct Totals: Sendable {
        /// The total growth of the stored bytes, as reported.
        var bytes = 0
        var created = 0
        /// Uploads that continued after an interruption, each time anew.
        var resumed = 0
        var finished = 0
    }

    private struct State {
        var totals = Totals()
        var held: [String: Int] = [:]
        var watchers: [(isMet: @Sendable (Totals) -> Bool, gate: Gate)] = []
    }

    private let state = Mutex(State())

    var totals: Totals { state.withLock { $0.totals } }

    func add(_ event: ReceiverEvent) {
        let met: [Gate] = state.withLock { state in
            switch event {
            case .received(let id, let bytes):
                state.totals.bytes += max(0, bytes - (state.held[id] ?? 0))
                state.held[id] = bytes
            case .created: state.totals.created += 1
            case .finished: state.totals.finished += 1
            case .resumed: state.totals.resumed += 1
            case .interrupted, .removed, .expired, .refused: break
            }
            let totals = state.totals
            let met = state.watchers.filter { $0.isMet(totals) }.map(\.gate)
            if !met.isEmpty { state.watchers.removeAll { watcher in met.contains { $0 === watcher.gate } } }
            return met
        }
        for gate in met { gate.open() }
    }

    /// The condition did not hold in time.
    struct TimedOut: Error {
        var totals: Totals
    }

    /// Waits until `condition` holds.
    /// - Throws: `TimedOut` after `limit` of real time.
    func wait(upTo limit: Duration = Gate.limit, for condition: @escaping @Sendable (Totals) -> Bool)
        async throws
    {
        let gate = Gate()
        state.withLock { state in
            if condition(state.totals) { gate.open() } else { state.watchers.append((condition, gate)) }
        }
        do { try await gate.wait(upTo: limit) } catch is Gate.TimedOut { throw TimedOut(totals: totals) }
    }
}
