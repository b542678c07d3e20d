/// The authentication that a server requires with status 401.
struct SignInWish: Hashable, Sendable {
    private let schemes: [String]
    private let realm: String?
    private let carriedCredentials: Bool
    private static let mostSchemes = 4

    init(_ response: ExchangeOutcome.Response) {
        let challenges = AuthenticationChallenge.list(in: response.fields)
        var schemes: [String] = []
        for scheme in challenges.map({ ServerText.cleaned($0.scheme) }) where !schemes.contains(scheme) {
            schemes.append(scheme)
        }
        self.schemes = Array(schemes.prefix(Self.mostSchemes))
        realm = challenges.lazy.compactMap { $0.parameters["realm"] }.map(ServerText.cleaned)
            .first { !$0.isEmpty }
        carriedCredentials = response.carriedCredentials
    }

    /// The text after “401 (not signed in)” in the failure's summary; empty if there is nothing to add.
    var clause: String {
        let realm = realm.map { " in the realm \"\($0)\"" } ?? ""
        let parts = [
            carriedCredentials ? nil : "no credentials were sent",
            schemes.isEmpty ? nil : "the server asks for \(schemes.joined(separator: " or "))\(realm)",
        ].compactMap { $0 }
        return parts.isEmpty ? "" : "; " + parts.joined(separator: ", ")
    }

    var hint: String {
        let words = Set(schemes.map { $0.lowercased() })
        let takesPassword = !words.isDisjoint(with: ["basic", "digest"])
        let token = words.contains("bearer") ? "a token (bearer)" : nil
        let form = takesPassword ? "user and password (basic, also for Digest)" : token
        guard carriedCredentials else {
            return "set the destination's auth\(form.map { " to \($0)" } ?? ""), then retry"
        }
        return "check the destination's auth\(form.map { ": the server takes \($0);" } ?? ",") then retry"
    }
}
