import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization

@testable import FerryProtocols
@testable import FerryTransfer

/// Records in one sequence what an attempt records and which requests it sends.
final class AttemptSequence: AttemptRecorder {
    enum Entry: Hashable {
        case recorded(UploadResource?, durably: Bool)
        case request(String)
    }

    private let entries = Mutex<[Entry]>([])
    private let sent = Mutex<ByteCount?>(nil)
    private let failure: UploadFailure?

    init(failure: UploadFailure? = nil) { self.failure = failure }

    var all: [Entry] { entries.withLock { $0 } }
    /// The bytes that the attempt reported at its end.
    var out: ByteCount? { sent.withLock { $0 } }
    func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }

    func record(_ resource: Redacted<UploadResource>?, durably: Bool) async throws(UploadFailure) {
        note(.recorded(resource?.value, durably: durably))
        if let failure { throw failure }
    }
    func isReading() {}
    func didStart(_ exchange: Exchange, reached: ByteCount) {}
    func didSend(_ bytes: ByteCount, reached: ByteCount) {}
    func didFinishSending(_ exchange: Exchange) {}
    func didEnd(out bytes: ByteCount) { sent.withLock { $0 = bytes } }
}

/// Runs attempts over a transport whose responses a closure makes. The transport runs the check before the last bytes
/// of a file.
struct AttemptStage {
    let file: TestFile
    let log: AttemptSequence

    init(size: Int = 10, log: AttemptSequence = AttemptSequence()) throws {
        file = try TestFile(count: size)
        self.log = log
    }

    func run(
        _ uploadProtocol: (any UploadProtocol)? = nil, of opened: SourceFile? = nil,
        resource: UploadResource? = nil,
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        _ answers:
            @escaping @Sendable (Int, TransportRequest) async -> Result<TransportResponse, TransportError>
    ) async throws -> UploadAttempt.Outcome {
        let source = try opened ?? file.open()
        let count = Mutex(0)
        let transport = ScriptedTransport { [log] request in
            log.note(.request(request.method.rawValue))
            if case .streamed(let body) = request.body, let check = body.beforeLastBytes {
                do throws(UploadFailure) { try await check() } catch {
                    return .failure(TransportError(.source, error))
                }
            }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return await answers(number, request)
        }
        let attempt = UploadAttempt(
            sender: .making(transport, adapters: adapters, retriers: retriers), file: source,
            identity: source.identity,
            label: "1", recorder: log)
        let item = UploadItem.make(url: "http://server.example/files/", size: source.identity.size)
        return await attempt.run(
            uploadProtocol ?? TusUpload(item: item, options: .init()), resource: resource,
            capabilities: ServerCapabilities(extensions: ["creation"])
        ).value
    }

    var post: PostUpload {
        PostUpload(item: .make(size: ByteCount(file.pattern.count)), options: .init())
    }
}

let tusUploadResource = UploadResource(url: "http://server.example/files/7")

func brokenLink(
    _ reason: TransportError.Reason = .broken, sent: ByteCount
) -> Result<TransportResponse, TransportError> {
    .failure(TransportError(reason, UploadFailure(.network, "the link broke"), bodySent: sent))
}
