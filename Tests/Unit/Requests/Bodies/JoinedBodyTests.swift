import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// Tests bodies that consist of several files, streams and bytes.
struct JoinedBodyTests {
    private func form(_ first: TestFile, _ second: TestFile) -> MultipartFormData {
        var form = MultipartFormData()
        form.append("May", name: "album")
        form.append(file: first.path, name: "first")
        form.append(
            stream: BodyStream(length: 150_000) {
                Chunks { $0 < 3 ? [UInt8](repeating: UInt8($0), count: 50_000) : nil }
            }, name: "stream")
        form.append(file: second.path, name: "second")
        return form
    }

    @Test func `two large files and a stream arrive as the form says`() async throws {
        let files = (try TestFile(count: 3 << 20), try TestFile(count: 5 << 20))
        let form = form(files.0, files.1)
        let server = try HostileServer(bodyLimit: 16 << 20, [.answer(201)])
        defer { server.stop() }
        let status = try await withTransport { transport in
            try await Session.making(transport).upload(.multipart(form), to: server.url()).status()
        }
        #expect(status == 201)
        let request = try #require(server.requests.first)
        #expect(request["Content-Length"] == "\(request.body.count)")
        #expect(request.body == (try await form.encode()))
        withExtendedLifetime(files) {}
    }

    @Test(.enabled(if: TLSServer.isAvailable, "openssl and python3 make and serve the certificates"))
    func `two large files and a stream arrive encrypted too`() async throws {
        let files = (try TestFile(count: 3 << 20), try TestFile(count: 5 << 20))
        let form = form(files.0, files.1)
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let status = try await withTransport(tls: TLSSettings(caFile: server.authority)) { transport in
            try await Session.making(transport).upload(
                .multipart(form), to: "https://127.0.0.1:\(server.port)/f", method: .put
            ).status()
        }
        #expect(status == 201)
        #expect(server.received("f") == (try await form.encode()))
        withExtendedLifetime(files) {}
    }

    @Test(arguments: [true, false])
    func `a file that changes while another is sent is never complete`(isAlreadyOut: Bool) async throws {
        let (first, second) = (try TestFile(count: 8 << 20), try TestFile(count: 32 << 20))
        let gate = Gate()
        let server = try HostileServer(
            bodyLimit: 0, receiveBuffer: 65_536,
            [.pauseReading(afterBodyBytes: isAlreadyOut ? 12 << 20 : 1 << 20, until: gate, then: 201)])
        defer { server.stop() }
        var form = MultipartFormData()
        form.append(file: first.path, name: "first")
        form.append(file: second.path, name: "second")
        let sent = form
        let result = try await withTransport { transport in
            let task = Session.making(transport).upload(.multipart(sent), to: server.url())
            try await server.wait { ($0.first?.bodyByteCount ?? 0) >= (isAlreadyOut ? 12 << 20 : 1 << 20) }
            let handle = try FileHandle(
                forUpdating: URL(fileURLWithPath: isAlreadyOut ? first.path : second.path))
            try handle.write(contentsOf: Data([0]))
            try handle.close()
            gate.open()
            return await outcome { () throws(RequestFailure) in try await task.status() }
        }
        #expect(result.failure?.failure.category == .sourceChanged)
        server.stop()
        #expect(server.requests.allSatisfy { !$0.isComplete })
    }

    @Test func `a file that is sent by itself and changes is never complete`() async throws {
        let file = try TestFile(count: 32 << 20)
        let gate = Gate()
        let server = try HostileServer(
            bodyLimit: 0, receiveBuffer: 65_536,
            [.pauseReading(afterBodyBytes: 1 << 20, until: gate, then: 201)])
        defer { server.stop() }
        let result = try await withTransport { transport in
            let task = Session.making(transport).upload(.file(LocalPath(file.path)), to: server.url())
            try await server.wait { ($0.first?.bodyByteCount ?? 0) >= 1 << 20 }
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
            try handle.write(contentsOf: Data([0]))
            try handle.close()
            gate.open()
            return await outcome { () throws(RequestFailure) in try await task.status() }
        }
        #expect(result.failure?.failure.category == .sourceChanged)
        server.stop()
        #expect(server.requests.allSatisfy { !$0.isComplete })
    }

    enum Layout: String, CaseIterable {
        case streamAtTheEnd, unknownStreamAtTheEnd, bytesAtTheEnd, fileAtTheEnd, onlyAStream, onlyBytes

        func segments(_ file: SourceFile) -> [StreamedBody.Segment] {
            let whole = StreamedBody.Segment.file(
                file, identity: file.identity, range: 0..<file.identity.size)
            let stream = StreamedBody.Segment.stream(
                BodyStream(length: 6) { Chunks([[1, 2], [3, 4], [5, 6]]) })
            let unknown = StreamedBody.Segment.stream(BodyStream { Chunks([[1, 2], [3, 4], [5, 6]]) })
            return switch self {
            case .streamAtTheEnd: [.bytes([7]), whole, stream]
            case .unknownStreamAtTheEnd: [whole, unknown]
            case .bytesAtTheEnd: [whole, stream, .bytes([8, 9])]
            case .fileAtTheEnd: [stream, .bytes([7]), whole]
            case .onlyAStream: [stream]
            case .onlyBytes: [.bytes([1, 2, 3])]
            }
        }
    }

    @Test(arguments: Layout.allCases)
    func `the check runs once, before the body is complete`(layout: Layout) async throws {
        let file = try TestFile(count: 2 << 20)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let checks = Counter()
        let wasComplete = Mutex(false)
        let body = StreamedBody(
            layout.segments(try file.open()),
            beforeLastBytes: { () async throws(UploadFailure) in
                checks.add()
                let isComplete = server.requests.first?.isComplete ?? false
                wasComplete.withLock { $0 = isComplete }
            })
        let answer = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: server.url(), body: .streamed(body)))
        }
        #expect(answer.status == 201)
        #expect(checks.value == 1)
        #expect(!wasComplete.withLock { $0 })
    }

    @Test(arguments: Layout.allCases)
    func `a check that fails keeps every kind of body from being complete`(layout: Layout) async throws {
        let file = try TestFile(count: 2 << 20)
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let body = StreamedBody(
            layout.segments(try file.open()),
            beforeLastBytes: { () async throws(UploadFailure) in throw UploadFailure(.storage, "no room") })
        let answer = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: server.url(), body: .streamed(body)))
        }
        #expect(answer.error?.failure.category == .storage)
        server.stop()
        #expect(server.requests.allSatisfy { !$0.isComplete })
    }
}
