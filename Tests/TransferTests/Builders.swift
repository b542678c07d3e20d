import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import HTTPTypes
import Synchronization

/// Hands out a transport with short times and closes it whatever happens.
func withTransport<Result>(
    connect: Duration = .seconds(5), stall: Duration = .seconds(10), response: Duration = .seconds(10),
    tls: TLSSettings = TLSSettings(), proxy: ProxySettings = .none, monitors: [any EventMonitor] = [],
    _ body: (HTTPClientTransport) async throws -> Result
) async throws -> Result {
    let transport = try HTTPClientTransport(
        .init(
            timeouts: .init(connect: connect, stall: stall, response: response), tls: tls, proxy: proxy),
        monitors: monitors)
    do {
        let result = try await body(transport)
        await transport.shutdown()
        return result
    } catch {
        await transport.shutdown()
        throw error
    }
}

/// A file of its own with a pattern, and the folder it lives in.
struct TestFile {
    let directory: TemporaryDirectory
    let pattern: PatternFile

    init(count: Int) throws {
        directory = try TemporaryDirectory()
        pattern = try PatternFile(at: directory.path("file.bin"), count: count)
    }

    var path: String { pattern.path }

    func open() throws -> SourceFile { try SourceFile(LocalPath(path)) }

    /// The whole file as a body.
    func body(
        prefix: [UInt8] = [], suffix: [UInt8] = [], pace: (any Pace)? = nil,
        beforeLastBytes: (@Sendable () async throws(UploadFailure) -> Void)? = nil
    ) throws -> TransportRequest.Body {
        let file = try open()
        return .streamed(
            StreamedBody(
                [
                    .bytes(prefix), .file(file, identity: file.identity, range: 0..<file.identity.size),
                    .bytes(suffix),
                ],
                beforeLastBytes: beforeLastBytes, pace: pace))
    }

    /// Descriptors of this process that are this file.
    var openDescriptors: Int {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.filter { number in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
        }.count
    }

    /// True once no descriptor is left: what was being read ahead may outlive its request by a moment.
    func isClosedSoon() async -> Bool {
        for _ in 0..<20_000 {
            if openDescriptors == 0 { return true }
            await Task.yield()
        }
        return false
    }
}

extension HTTPClientTransport {
    /// What came of a request: an answer or an error, without a throw.
    func outcome(
        of request: TransportRequest, delegate: (any UploadDelegate)? = nil
    ) async -> Result<TransportResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await perform(request, delegate: delegate))
        } catch {
            return .failure(error)
        }
    }

    /// What came of a PUT of the whole file.
    func put(
        _ file: TestFile, to url: String
    ) async throws -> Result<TransportResponse, TransportError> {
        await outcome(of: TransportRequest(method: .put, url: url, body: try file.body()))
    }
}

extension Result where Success == TransportResponse, Failure == TransportError {
    var status: Int? { try? get().status }
    var error: TransportError? { if case .failure(let error) = self { error } else { nil } }
}

/// Writes down what it is told, and says when a number of bytes is out.
final class RecordingDelegate: UploadDelegate {
    enum Call: Hashable {
        case sent(ByteCount, total: ByteCount, expected: ByteCount?)
        case finished
    }

    private let state = Mutex<[Call]>([])
    private let onCall: @Sendable (Call) -> Void

    init(onCall: @escaping @Sendable (Call) -> Void = { _ in }) { self.onCall = onCall }

    var calls: [Call] { state.withLock { $0 } }

    func didSendBodyData(_ bytesSent: ByteCount, totalBytesSent: ByteCount, totalBytesExpected: ByteCount?) {
        take(.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpected))
    }

    func didFinishSending() { take(.finished) }

    private func take(_ call: Call) {
        state.withLock { $0.append(call) }
        onCall(call)
    }
}

extension Session {
    /// A session that takes every answer.
    static func making(
        _ transport: any Transport, adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        validation: ResponseValidation = .unchecked, monitors: [any EventMonitor] = [],
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Session {
        Session(
            Configuration(
                interceptor: Interceptor(adapters: adapters, retriers: retriers), validation: validation,
                monitors: monitors, clock: clock),
            transport: transport)
    }
}

/// Keeps events, and opens a gate when one comes.
final class EventLog: EventMonitor {
    struct Entry: Sendable {
        var event: TransferEvent
        var context: RequestContext
    }

    private let state = Mutex<[Entry]>([])
    private let onEvent: @Sendable (TransferEvent) -> Void

    init(onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }) { self.onEvent = onEvent }

    var entries: [Entry] { state.withLock { $0 } }
    var all: [TransferEvent] { entries.map(\.event) }
    /// The names, without the writes in between.
    var names: [String] { all.map(\.name).filter { $0 != "sent" } }

    func count(_ name: String) -> Int { all.count { $0.name == name } }

    func receive(_ event: TransferEvent, of request: RequestContext) {
        state.withLock { $0.append(Entry(event: event, context: request)) }
        onEvent(event)
    }
}
