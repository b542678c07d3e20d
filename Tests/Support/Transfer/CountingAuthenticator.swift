package import FerryTransfer
import HTTPTypes
import Synchronization

/// A credential that a test can mark as expired.
package struct Token: AuthenticationCredential, Hashable {
    package var name: String
    package var requiresRefresh = false

    package init(name: String, requiresRefresh: Bool = false) {
        self.name = name
        self.requiresRefresh = requiresRefresh
    }

    package static let a0 = Token(name: "a0")
    package static let expired = Token(name: "a0", requiresRefresh: true)
}

/// An authenticator that hands out the tokens a1, a2, … and counts its calls.
package final class CountingAuthenticator: Authenticator {
    private struct Counts {
        var applies = 0
        var refreshes = 0
    }

    private let counts = Mutex(Counts())
    private let make: @Sendable (Int) async throws -> Token

    /// - Parameter make: Makes the token of a refresh. It is called with the number of the refresh, from 1.
    package init(_ make: @escaping @Sendable (Int) async throws -> Token = { Token(name: "a\($0)") }) {
        self.make = make
    }

    package var applies: Int { counts.withLock { $0.applies } }
    package var refreshes: Int { counts.withLock { $0.refreshes } }

    package func apply(_ credential: Token, to request: inout TransportRequest) {
        counts.withLock { $0.applies += 1 }
        request.fields[.authorization] = credential.name
    }

    package func refresh(_ credential: Token) async throws -> Token {
        let number = counts.withLock { counts in
            counts.refreshes += 1
            return counts.refreshes
        }
        return try await make(number)
    }

    package func isRequest(_ request: TransportRequest, authenticatedWith credential: Token) -> Bool {
        request.fields[.authorization] == credential.name
    }
}
