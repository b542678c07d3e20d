import FerryProtocols
import FerryTransfer
import FerryUploads
import Synchronization

extension Assembly {
    /// Returns the interceptor that adds the destination's credentials to requests, or signs them; nil without
    /// credentials.
    func interceptor(for name: String, _ settings: DestinationSettings) -> (any RequestInterceptor)? {
        let secrets = secrets
        func reading(_ secret: Secret) -> OAuth2Client.Secret {
            { () async throws(UploadFailure) in try await secrets.read(secret) }
        }
        // After a refusal, the secret is read again, unless a command printed it in the last 2 seconds: many uploads
        // may be refused at the same time.
        func readingAnew(_ secret: Secret) -> OAuth2Client.Secret {
            { () async throws(UploadFailure) in try await secrets.read(secret, notOlderThan: .seconds(2)) }
        }
        switch settings.authentication {
        case .none: return nil
        case .bearer(let token):
            return AuthorizationInterceptor.bearer(reading(token), afterRefusal: readingAnew(token))
        case .basic(let user, let password):
            return PasswordInterceptor(
                user: user, password: reading(password), afterRefusal: readingAnew(password))
        case .s3(let s3):
            return s3Interceptor(for: settings.url, s3, region: settings.s3.region, settings.s3.payload)
        case .oauth2(let oauth2):
            let client = OAuth2Client(
                tokenURL: oauth2.tokenURL, clientID: oauth2.clientID,
                clientSecret: oauth2.clientSecret.map(reading), authentication: oauth2.clientAuthentication,
                refreshToken: reading(oauth2.refreshToken), scope: oauth2.scope)
            let transport = OneShotTransport(
                HTTPClientTransport.Configuration(
                    timeouts: timeouts, tls: oauth2.tls ?? TLSSettings(),
                    proxy: proxy(settings.proxy ?? configuration.proxy)))
            let authenticator = OAuth2Authenticator(
                client, file: TokenFile(tokenFile(for: name, oauth2)), transport: transport)
            return AuthenticationInterceptor(authenticator, credential: OAuth2Credential.missing)
        }
    }

    private func s3Interceptor(
        for url: String, _ authentication: S3Authentication, region: String?, _ payload: S3PayloadForm
    ) -> S3Interceptor {
        let source = S3CredentialSource(authentication, secrets: secrets)
        return S3Interceptor(
            for: url, region: region ?? source.region ?? "us-east-1", payload: payload,
            credentials: S3CredentialStore { () async throws(UploadFailure) in try await source.load() })
    }

    /// Returns a function for uploads to URLs outside the configuration. It signs S3 uploads with the credentials that
    /// AWS's tools find, and returns nil for others. All uploads to one server share an interceptor.
    func addressCredentials() -> @Sendable (Upload.Target) -> (any RequestInterceptor)? {
        let made = Mutex<[String: S3Interceptor]>([:])
        return { [self] target in
            guard target.protocolName == S3Upload.name,
                let origin = URL(string: target.url).flatMap(UploadAddress.origin)
            else { return nil }
            return made.withLock { made in
                if let known = made[origin] { return known }
                let new = s3Interceptor(for: target.url, .found, region: nil, .auto)
                made[origin] = new
                return new
            }
        }
    }

    private func tokenFile(for name: String, _ settings: OAuth2Settings) -> LocalPath {
        if let file = settings.tokenFile { return LocalPath(file) }
        // A destination's name may have any character, even a slash.
        let safe = name.percentEncoded(keeping: PlainCharacters(alphanumericsAnd: ""))
        return state.appending(Array("tokens".utf8)).appending(Array("\(safe).json".utf8))
    }
}
