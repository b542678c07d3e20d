import FerryProtocols
import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryTransfer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests TLS files that cannot be read at once, with a clock that the test advances.
@Suite(.timeLimit(.minutes(10)))
struct TLSFileTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()
    private let readers: BlockingIOPool
    /// A pipe. It has no writer at first.
    private let pipe: String

    init() throws {
        directory = try TemporaryDirectory()
        readers = BlockingIOPool(timeout: .seconds(30), clock: clock)
        pipe = directory.path("authorities.pem")
        try #require(mkfifo(pipe, 0o600) == 0)
    }

    /// Opens the pipe for a writer that writes nothing. Such an open does not wait for a reader (fifo(7)).
    private func silentWriter() throws -> CInt {
        let writer = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(writer >= 0)
        return writer
    }

    /// Returns the value of a task after its read has begun and timed out.
    private func value<Value: Sendable>(afterTimeoutOf task: Task<Value, Never>) async throws -> Value {
        try await Eventually.holds("the read has begun") { readers.load == (threads: 1, abandoned: 0) }
        return try await clock.value(of: task, steps: .seconds(7.5))
    }

    private func expectLate(_ failure: UploadFailure?) {
        #expect(failure?.category == .sourceAway)
        #expect(
            failure?.summary
                == "the TLS file \(pipe) cannot be read: its disk or network share has not answered for 30 s")
        #expect(failure?.hint?.hasPrefix("see whether it answers, or name another PEM file in tls") == true)
    }

    @Test(arguments: ["caFile", "certificate", "key"])
    func `a TLS file that hangs is given up in time, and the failure names it`(role: String) async throws {
        let writer = try silentWriter()
        defer { close(writer) }
        let settings =
            switch role {
            case "caFile": TLSSettings(caFile: pipe)
            case "certificate": TLSSettings(certificate: pipe)
            default: TLSSettings(key: pipe)
            }
        let reads = FileReads<[UInt8], UploadFailure>(readers)
        let late = Task {
            await #expect(throws: UploadFailure.self) { try await TLSFiles(of: settings, by: reads) }
        }
        expectLate(try await value(afterTimeoutOf: late))
        // The file is not read again while the read hangs.
        let later = await #expect(throws: UploadFailure.self) { try await TLSFiles(of: settings, by: reads) }
        expectLate(later)
        #expect(readers.load.abandoned == 1)
    }

    @Test func `a request with a TLS file that hangs fails in time`() async throws {
        let writer = try silentWriter()
        defer { close(writer) }
        let transport = OneShotTransport(
            HTTPClientTransport.Configuration(tls: TLSSettings(caFile: pipe), proxy: .none),
            readers: readers)
        let late = Task {
            await #expect(throws: TransportError.self) {
                try await transport.perform(
                    TransportRequest(method: .get, url: "https://127.0.0.1:9/"), delegate: nil)
            }
        }
        let error = try await value(afterTimeoutOf: late)
        #expect(error?.reason == .source)
        expectLate(error?.failure)
    }

    @Test func `a TLS file in a pipe without a writer is unusable at once`() {
        let failure = #expect(throws: UploadFailure.self) {
            try HTTPClientTransport(.init(tls: TLSSettings(key: pipe)))
        }
        #expect(failure?.summary == "the TLS file \(pipe) cannot be used: it is empty")
    }
}
