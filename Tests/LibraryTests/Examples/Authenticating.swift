// Example: authenticator
import Ferry

/// The key of a session that the server issues. It expires after an hour.
struct Visit: AuthenticationCredential {
    let key: String
    let end: ContinuousClock.Instant

    var requiresRefresh: Bool { end < .now + .seconds(300) }
}

struct Doorkeeper: Authenticator {
    let server: String
    let session: Session  // one without this interceptor, or the same: it does not wait for itself

    func apply(_ visit: Visit, to request: inout TransportRequest) {
        request.fields[.cookie] = "visit=\(visit.key)"
    }

    func refresh(_ visit: Visit) async throws -> Visit {
        let key = try await session.request(server + "/visits", method: .post).string()
        return Visit(key: key, end: .now + .seconds(3600))
    }

    func isRequest(_ request: TransportRequest, authenticatedWith visit: Visit) -> Bool {
        request.fields[.cookie] == "visit=\(visit.key)"
    }
}
// end
