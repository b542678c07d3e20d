import Foundation
import Transfer
import UploadProtocols

extension Assembly {
    /// What puts the destination's credentials on requests; nil if it has none.
    func interceptor(for name: String, _ settings: DestinationSettings) -> (any RequestInterceptor)? {
        let secrets = secrets
        func reading(_ secret: Secret) -> OAuth2Client.Secret {
            { () async throws(UploadFailure) in try await secrets.read(secret) }
        }
        // Other uploads may have been refused with the same secret: its command need not run for each.
        func readingAnew(_ secret: Secret) -> OAuth2Client.Secret {
            { () async throws(UploadFailure) in try await secrets.read(secret, notOlderThan: .seconds(2)) }
        }
        switch settings.authentication {
        case .none: return nil
        case .bearer(let token):
            return AuthorizationInterceptor.bearer(reading(token), afterRefusal: readingAnew(token))
        case .basic(let user, let password):
            return AuthorizationInterceptor.basic(
                user: user, password: reading(password), afterRefusal: readingAnew(password))
        case .oauth2(let oauth2):
            let client = OAuth2Client(
                tokenURL: oauth2.tokenURL, clientID: oauth2.clientID,
                clientSecret: oauth2.clientSecret.map(reading), authentication: oauth2.clientAuthentication,
                refreshToken: reading(oauth2.refreshToken), scope: oauth2.scope)
            let transport = BriefTransport(
                HTTPClientTransport.Configuration(
                    timeouts: timeouts, tls: oauth2.tls ?? TLSSettings(),
                    proxy: proxy(settings.proxy ?? configuration.proxy)))
            let authenticator = OAuth2Authenticator(
                client, file: TokenFile(tokenFile(for: name, oauth2)), transport: transport)
            return AuthenticationInterceptor(authenticator, credential: OAuth2Credential.missing)
        }
    }

    private func tokenFile(for name: String, _ settings: OAuth2Settings) -> LocalPath {
        if let file = settings.tokenFile { return LocalPath(file) }
        // Any name is a valid name of a destination, such as one with slashes.
        let safe = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
        return state.appending(Array("tokens".utf8)).appending(Array("\(safe).json".utf8))
    }
}
