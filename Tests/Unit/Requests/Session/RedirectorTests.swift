import FerryProtocols
import FerryRequests
import FerryTestSupport
import FerryTransfer
import HTTPTypes
import Testing

private let url = "http://server.example/f"

// LeftOut.md, item 80
struct RedirectorTests {
    /// Returns the outcome of a request that is redirected once, and the requests that the server received.
    private func outcome(
        of status: Int, to location: String, session: Redirector = .withinServer, own: Redirector? = nil,
        method: HTTPRequest.Method = .put
    ) async throws -> (status: Int, urls: [String], last: TransportRequest?) {
        let asked = Asked()
        let transport = ScriptedTransport { request in
            await asked.add(request)
            return .success(
                await asked.all.count == 1
                    ? TransportResponse(status: status, fields: [.location: location])
                    : TransportResponse(status: 200))
        }
        var options = RequestOptions()
        options.redirects = own
        let final = try await Session(
            Session.Configuration(validation: .unchecked, redirects: session), transport: transport
        ).upload(
            .string("film"), to: url, method: method, headers: [.authorization: "secret"], options: options
        ).status()
        return (final, await asked.all.map(\.url), await asked.all.last)
    }

    @Test func `following leads to the last address, with the body and without credentials elsewhere`()
        async throws
    {
        let (status, urls, last) = try await outcome(
            of: 307, to: "http://other.example/g", session: .follow)
        #expect(status == 200)
        #expect(urls == [url, "http://other.example/g"])
        #expect(last?.body.length == 4 && last?.fields[.authorization] == nil)
    }

    @Test func `following does not lead from outside into a private network`() async throws {
        let (status, urls, _) = try await outcome(of: 307, to: "http://169.254.169.254/g", session: .follow)
        #expect(status == 307 && urls == [url])
    }

    @Test(arguments: [301, 302, 303])
    func `a POST that is followed elsewhere becomes a GET without a body`(status: Int) async throws {
        let (_, _, last) = try await outcome(of: status, to: "/g", session: .follow, method: .post)
        #expect(last?.method == .get && last?.body.length == 0)
        #expect(last?.fields[.contentType] == nil && last?.fields[.authorization] == "secret")
    }

    @Test func `refusing takes the redirect as the response`() async throws {
        let (status, urls, _) = try await outcome(of: 302, to: "/g", session: .refuse)
        #expect(status == 302 && urls == [url])
    }

    @Test func `a redirect may be followed to an address of one's own`() async throws {
        let elsewhere = Redirector.modify { redirect in
            var next = redirect.next
            next.url = "http://third.example/h"
            return next
        }
        let (status, urls, _) = try await outcome(of: 302, to: "/g", session: elsewhere)
        #expect(status == 200 && urls == [url, "http://third.example/h"])
    }

    @Test func `the request's own handler goes before the session's`() async throws {
        let (status, urls, _) = try await outcome(of: 307, to: "/g", session: .follow, own: .refuse)
        #expect(status == 307 && urls == [url])
    }
}

private actor Asked {
    private(set) var all: [TransportRequest] = []

    func add(_ request: TransportRequest) { all.append(request) }
}
