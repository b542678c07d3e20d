import Foundation
import Synchronization

@testable import FerryReceiver

/// A running receiver with its folder.
struct Site: Sendable {
    let folder: String
    let port: Int
    let receiver: UploadReceiver
    let events: EventLog

    /// Sends one request on a new connection.
    func request(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String? = nil,
        raw: String = ""
    ) async throws -> LoopbackClient.ExchangeOutcome {
        let client = try LoopbackClient(port: port)
        let head = Self.head(method, path, fields, length: body.map { $0.utf8.count })
        try await client.send(head + (body ?? raw))
        return try await client.receive(hasBody: method != "HEAD")
    }

    static func head(
        _ method: String, _ path: String, _ fields: [String: String] = [:], length: Int? = nil
    ) -> String {
        var fields = fields
        fields["Host"] = fields["Host"] ?? "127.0.0.1"
        if let length { fields["Content-Length"] = "\(length)" }
        let lines = fields.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
        return "\(method) \(path) HTTP/1.1\r\n\(lines)\r\n"
    }

    func content(_ name: String) -> String? {
        FileManager.default.contents(atPath: folder + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the names in the folder, without those of the receiver itself.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != ".ferry" }.sorted()
    }

    /// Returns the names in `.ferry`, without the lock.
    func unfinished() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/.ferry").filter { $0 != "lock" }
    }
}

/// The events of a receiver. A test can wait for one of them.
final class EventLog: Sendable {
    private let events: AsyncStream<ReceiverEvent>
    private let continuation: AsyncStream<ReceiverEvent>.Continuation

    init() { (events, continuation) = AsyncStream.makeStream() }

    @Sendable func add(_ event: ReceiverEvent) { continuation.yield(event) }

    /// Waits for the first event for which `transform` returns a value.
    func first<Result>(_ transform: (ReceiverEvent) -> Result?) async -> Result? {
        for await event in events {
            if let result = transform(event) { return result }
        }
        return nil
    }

    /// Waits for an interrupted upload, and returns the number of bytes that the receiver kept.
    func interruption() async -> Int? {
        await first { if case .interrupted(_, _, let kept) = $0 { kept } else { nil } }
    }
}

/// A clock that only the test advances.
final class ManualDate: Sendable {
    private let date = Mutex(Date.now)

    func advance(by duration: Duration) {
        date.withLock { $0.addTimeInterval(TimeInterval(duration.components.seconds)) }
    }

    @Sendable func now() -> Date { date.withLock { $0 } }
}

func makeFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "receiver-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
}

/// Runs a receiver while `body` runs. Without `folder` the receiver has a temporary folder.
@discardableResult
func withReceiver<Result: Sendable>(
    folder existing: String? = nil, clock: ManualDate = ManualDate(),
    _ configure: (inout ReceiverConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (Site) async throws -> Result
) async throws -> Result {
    let folder = try existing ?? makeFolder()
    defer { if existing == nil { try? FileManager.default.removeItem(atPath: folder) } }
    var configuration = ReceiverConfiguration(directory: folder)
    configure(&configuration)
    let events = EventLog()
    let receiver = try UploadReceiver(configuration, now: clock.now, report: events.add)
    let (started, start) = AsyncStream<ReceiverAddress>.makeStream()
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
            defer { start.finish() }
            try await receiver.run { start.yield($0) }
            return nil
        }
        group.addTask {
            guard let address = await started.first(where: { _ in true }) else { throw CancellationError() }
            return try await body(
                Site(folder: folder, port: address.port, receiver: receiver, events: events))
        }
        defer { group.cancelAll() }
        while let result = try await group.next() {
            if let result { return result }
        }
        throw CancellationError()
    }
}
