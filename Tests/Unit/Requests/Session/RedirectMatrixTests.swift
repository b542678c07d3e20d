import FerryTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

private let url = "https://server.example/f"

/// The target of an upload's redirect.
enum RedirectTarget: String, CaseIterable, Sendable {
    case sameServer = "https://SERVER.example:443/g"
    case otherServer = "https://other.example/g"
    case unencrypted = "http://server.example/g"
    case itself = "https://server.example/f"
}

struct RedirectMatrixTests {
    /// Uploads a file. The server responds with `status` and the redirect to `place`, and with 201 to the redirected
    /// request.
    ///
    /// - Returns: The final status, and all requests.
    private func upload(
        _ status: Int, to place: RedirectTarget
    ) async throws -> (status: Int?, asked: [TransportRequest]) {
        let asked = Mutex<[TransportRequest]>([])
        let file = try TestFile(count: 1000)
        let session = Session.making(
            ScriptedTransport { request in
                asked.withLock { $0.append(request) }
                return .success(
                    request.url == url
                        ? TransportResponse(status: status, fields: [.location: place.rawValue])
                        : TransportResponse(status: 201))
            },
            adapters: [AuthorizationInterceptor { () async throws(UploadFailure) in "Bearer secret" }])
        let request = TransportRequest(method: .put, url: url, body: try file.body())
        let final = try? await session.perform(request, label: "1").status
        return (final, asked.withLock { $0 })
    }

    @Test(arguments: [301, 302, 303, 307, 308], RedirectTarget.allCases)
    func `P11 only 307 and 308 within the server are followed, with the whole body`(
        status: Int, place: RedirectTarget
    ) async throws {
        let (final, asked) = try await upload(status, to: place)
        switch (status, place) {
        case (307, .sameServer), (308, .sameServer):
            #expect(final == 201)
            #expect(asked.map(\.url) == [url, place.rawValue])
            #expect(asked.map(\.method) == [.put, .put])
            #expect(asked.map(\.body.length) == [1000, 1000])
            #expect(asked.map { $0.fields[.authorization] } == ["Bearer secret", "Bearer secret"])
        case (307, .itself), (308, .itself):
            #expect(final == nil)
            #expect(asked.count == 6)
        default:
            #expect(final == status)
            #expect(asked.count == 1)
        }
    }

    @Test(arguments: [
        ("/new/a", "https://server.example/old/b", "https://server.example/new/b"),
        ("/new/a", "https://server.example/other/b", "https://server.example/other/b"),
        ("/new/c", "https://server.example/old/b", "https://server.example/old/b"),
        ("https://other.example/new/a", "https://server.example/old/b", "https://server.example/old/b"),
    ])
    func `P11 the target of a MOVE is redirected with its folder, within the server`(
        location: String, target: String, next: String
    ) throws {
        let request = TransportRequest(
            method: .move, url: "https://server.example/old/a", fields: [.destination: target])
        let response = TransportResponse(status: 307, fields: [.location: location])
        let redirect = try #require(Redirect(response, to: request, asked: request.fields))
        #expect(redirect.next.fields[.destination] == next)
    }

    @Test(arguments: [(5, 201), (6, nil)] as [(Int, Int?)])
    func `P11 five redirects are followed and no sixth`(count: Int, status: Int?) async throws {
        let asked = Mutex(0)
        let session = Session.making(
            ScriptedTransport { _ in
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                return .success(
                    number > count
                        ? TransportResponse(status: 201)
                        : TransportResponse(status: 307, fields: [.location: "/\(number)"]))
            })
        let request = TransportRequest(method: .put, url: url, body: .bytes([1]))
        let result = await outcome { () throws(RequestFailure) in
            try await session.perform(request, label: "1").status
        }
        let final = try? result.get()
        #expect(final == status)
        #expect((result.failure?.failure.category == .permanent) == (status == nil))
        #expect(asked.withLock { $0 } == 6)
    }
}
