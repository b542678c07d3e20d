import FerryTestSupport
import Foundation
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// Sends requests with secrets in every part, and checks that no monitor shows one.
struct PlantedSecretTests {
    /// Each secret has a different text, so a failure names the one that was shown.
    private static let secrets = [
        "planted-user-1", "planted-word-2", "planted-query-3", "planted-fragment-4", "planted-bearer-5",
        "planted-cookie-6", "planted-amz-7", "planted-goog-8", "planted-ocp-9", "planted-private-10",
        "planted-setcookie-11", "planted-location-12", "planted-session-13", "planted-adapter-14",
        "planted-any-15", "planted-proxy-16", "planted-locationuser-17", "planted-encoded-18",
        "planted-auth-19",
    ]

    /// Returns the secrets that the server repeats in its response. Failures quote only the beginning of a response.
    private static func echo(_ scene: Scene) -> String {
        let sent = secrets.filter { !$0.contains("location") && !$0.contains("setcookie") }
        return (scene == .retry ? sent.reversed() : sent).joined(separator: " ")
    }

    private static func url(_ server: HostileServer, _ scene: Scene) -> String {
        let url = server.url(
            "/f?token=planted-query-3&X-Amz-Signature=planted-amz-7&q=%70lanted-encoded-18#planted-fragment-4"
        )
        // A redirect to a URL with user info is not followed.
        guard scene != .redirectFollowed else { return url }
        return url.replacingOccurrences(of: "http://", with: "http://planted-user-1:planted-word-2@")
    }

    private static func fields() throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in [
            ("aUtHoRiZaTiOn", "Bearer planted-bearer-5"),
            ("Cookie", "a=planted-cookie-6; b=planted-session-13"),
            ("X-Amz-Security-Token", "planted-amz-7"), ("X-Goog-Api-Key", "planted-goog-8"),
            ("Ocp-Apim-Subscription-Key", "planted-ocp-9"), ("Private-Token", "planted-private-10"),
            ("X-Any", "Basic planted-any-15"), ("Proxy-Authorization", "Basic planted-proxy-16"),
            ("X-Auth-Token", "planted-auth-19"), ("Referer", "https://h/?planted-query-3"),
        ] {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return fields
    }

    private struct Adding: RequestAdapter {
        func adapt(_ request: TransportRequest, for context: RequestContext) throws -> TransportRequest {
            var request = request
            request.fields.append(
                HTTPField(name: try #require(HTTPField.Name("X-Api-Key")), value: "planted-adapter-14"))
            return request
        }
    }

    enum Scene: String, CaseIterable {
        case success, redirectFollowed, redirectRefused, failure, retry, broken, badAddress, adapterFails

        var requests: Int {
            switch self {
            case .success, .redirectRefused, .failure, .broken: 1
            case .redirectFollowed, .retry: 2
            case .badAddress, .adapterFails: 0
            }
        }
    }

    private static func behaviors(_ scene: Scene) -> [HostileBehavior] {
        let location =
            "/other?sig=planted-location-12&user=planted-locationuser-17"
        let refusal = HostileBehavior.answer(
            scene == .retry ? 503 : 403,
            headers: [("Content-Type", "text/plain"), ("Set-Cookie", "a=planted-setcookie-11")],
            body: echo(scene))
        return switch scene {
        case .success:
            [.answer(201, headers: [("Set-Cookie", "a=planted-setcookie-11")], body: echo(scene))]
        case .redirectFollowed, .redirectRefused:
            [.redirect(307, to: location), refusal]
        case .failure: [refusal]
        case .retry: [refusal, refusal]
        case .broken: [.raw("HTTP/1.1 planted-auth-19\r\n\r\n")]
        case .badAddress, .adapterFails: []
        }
    }

    private struct Failing: RequestAdapter {
        struct Reason: Error, CustomStringConvertible {
            let description = """
                POST https://planted-user-1:planted-word-2@h/?token=planted-query-3
                client_secret=planted-adapter-14, Authorization: Bearer planted-bearer-5
                """
        }

        func adapt(_ request: TransportRequest, for context: RequestContext) throws -> TransportRequest {
            throw Reason()
        }
    }

    @Test(arguments: Scene.allCases)
    func `the monitors of a request never receive a secret`(scene: Scene) async throws {
        let server = try HostileServer(Self.behaviors(scene))
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        let (lines, metrics, log) = (LogLines(), MetricsLog(), EventLog())
        let json = try JSONLinesMonitor(
            appendingTo: LocalPath(directory.path("events.jsonl")), includesProgress: true)
        let curl = try await withTransport { transport in
            var configuration = Session.Configuration(
                monitors: [LoggingMonitor(lines.logger(.trace)), json, MetricsMonitor(factory: metrics), log])
            configuration.interceptor = Interceptor(
                adapters: [scene == .adapterFails ? Failing() : Adding()],
                retriers: scene == .retry ? [OnceMore()] : [])
            if scene == .redirectRefused { configuration.redirects = Redirector.refuse }
            let session = Session(configuration, transport: transport)
            let url = scene == .badAddress ? "planted-user-1:planted-word-2@h/" : Self.url(server, scene)
            let task = session.upload(.data([1, 2, 3]), to: url, method: .put, headers: try Self.fields())
            _ = await outcome { () throws(RequestFailure) in try await task.response() }
            return task.summary.curlCommand
        }
        json.flush()
        var texts = [curl, "\(lines.lines)", "\(metrics.counts) \(metrics.times)"]
        texts.append(try String(contentsOfFile: directory.path("events.jsonl"), encoding: .utf8))
        for entry in log.entries {
            var dumped = ""
            dump(entry, to: &dumped)
            texts.append(dumped + "\(entry) \(entry.event.summary)")
            switch entry.event {
            case .created(let summary), .adapted(let summary): texts.append(summary.curlCommand)
            default: break
            }
        }
        for secret in Self.secrets {
            let leak = texts.first { $0.contains(secret) }
            #expect(leak == nil, "\(secret) in \(leak ?? "")")
        }
        #expect(!texts.contains { $0.contains("planted") })
        #expect(log.names.count >= 2)
        // Without these requests the test would prove nothing.
        #expect(server.requests.count == scene.requests)
    }
}

private struct OnceMore: RequestRetrier {
    func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) -> RetryDecision { context.attempt == 1 ? .retry : .doNotRetry }
}
