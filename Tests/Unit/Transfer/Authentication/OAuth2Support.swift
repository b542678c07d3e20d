import FerryProtocols
import FerryTestSupport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FerryTransfer

/// A token server whose responses the test decides. It keeps the forms that it received.
final class TokenEndpoint: Sendable {
    struct Asked: Sendable {
        var fields: HTTPFields
        var form: [String: String]
        var request: TransportRequest
    }

    private let asked = Mutex<[Asked]>([])
    private let answer: @Sendable (Int, [String: String]) -> Result<TransportResponse, TransportError>

    /// - Parameter answer: Makes the response. It is called with the number of the request, from 1, and its form.
    init(_ answer: @escaping @Sendable (Int, [String: String]) -> Result<TransportResponse, TransportError>) {
        self.answer = answer
    }

    /// Makes a server that issues a new refresh token with each use, r0, r1, …, and accepts only the newest.
    static func rotating(lifetime: Int = 3600) -> TokenEndpoint {
        let newest = Mutex(0)
        return TokenEndpoint { number, form in
            newest.withLock { newest in
                guard form["refresh_token"] == "r\(newest)" else {
                    return .json(400, #"{"error":"invalid_grant"}"#)
                }
                newest += 1
                return .json(
                    200,
                    """
                    {"access_token":"a\(number)","token_type":"Bearer","expires_in":\(lifetime),"refresh_token":"r\(newest)"}
                    """)
            }
        }
    }

    var all: [Asked] { asked.withLock { $0 } }
    var tokens: [String?] { all.map { $0.form["refresh_token"] } }

    var transport: ScriptedTransport {
        ScriptedTransport { request in
            guard case .bytes(let bytes) = request.body else { return .json(400, "{}") }
            var form: [String: String] = [:]
            for pair in String(decoding: bytes, as: UTF8.self).split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "?" }
                form[parts[0]] = parts[1]
            }
            let number = self.asked.withLock { asked in
                asked.append(Asked(fields: request.fields, form: form, request: request))
                return asked.count
            }
            return self.answer(number, form)
        }
    }
}

extension Result where Success == TransportResponse, Failure == TransportError {
    static func json(_ status: Int, _ text: String, _ fields: HTTPFields = [:]) -> Self {
        var fields = fields
        fields[.contentType] = "application/json"
        return .success(TransportResponse(status: status, fields: fields, body: Array(text.utf8)))
    }
}

extension OAuth2Client {
    /// Makes a client of `sign-in.example`.
    static func make(
        refreshToken: @escaping OAuth2Client.Secret = { "r0" }, secret: OAuth2Client.Secret? = nil,
        authentication: OAuth2Client.Authentication = .basic, scope: String? = nil,
        url: String = "https://sign-in.example/token"
    ) -> OAuth2Client {
        OAuth2Client(
            tokenURL: url, clientID: "fer ry:1", clientSecret: secret, authentication: authentication,
            refreshToken: refreshToken, scope: scope)
    }
}

extension TokenEndpoint {
    /// Returns the failure of a renewal at `endpoint`; nil if it succeeded.
    static func failure(
        of endpoint: TokenEndpoint, _ client: OAuth2Client = .make(), file: TokenFile? = nil
    ) async -> UploadFailure? {
        let authenticator = OAuth2Authenticator(client, file: file, transport: endpoint.transport)
        do {
            _ = try await authenticator.refresh(.missing)
            return nil
        } catch {
            return error as? UploadFailure
        }
    }
}
