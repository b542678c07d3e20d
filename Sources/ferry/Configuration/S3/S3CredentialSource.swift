import FerryProtocols
import FerryTransfer

/// Loads an S3 destination's credentials from the configuration, a command, the environment or AWS's files.
struct S3CredentialSource: Sendable {
    /// The environment variables that only commands for S3 credentials receive.
    static let passedOn = [
        "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_REGION",
        "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE", "AWS_VAULT", "HTTPS_PROXY", "NO_PROXY", "https_proxy",
        "no_proxy",
    ]

    private let settings: S3Authentication
    private let secrets: SecretReader
    private let environment: [String: String]
    private let reads: FileReads<[AWSProfiles.Section], UploadFailure>

    init(
        _ settings: S3Authentication, secrets: SecretReader,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        readers: BlockingIOPool = .shared
    ) {
        self.settings = settings
        self.secrets = secrets
        self.environment = environment
        reads = FileReads(readers)
    }

    /// - Throws: `UploadFailure`: `permanent` if other users have access to AWS's files, otherwise `authentication`.
    func load() async throws(UploadFailure) -> S3Credentials {
        switch settings {
        case .keys(let accessKey, let secretKey, let token):
            return try await keys(accessKey, secretKey, token)
        case .command(let words): return try await Self.output(of: words)
        case .profile(let name):
            if let found = try await profile(name) { return found }
            throw missing("there is no profile \(name) in \(files)")
        case .found:
            if let found = try fromEnvironment() { return found }
            let name = AWSProfiles(environment: environment).defaultName
            if let found = try await profile(name) { return found }
            throw missing("AWS_ACCESS_KEY_ID is not set, and there is no profile \(name) in \(files)")
        }
    }

    /// The region for a destination that sets no region: that of the configured profile, otherwise that of the
    /// environment or the default profile; nil if none is found.
    var region: String? {
        let profile: String? = if case .profile(let name) = settings { name } else { nil }
        return AWSProfiles(environment: environment).region(profile)
    }

    private func keys(
        _ accessKey: Secret, _ secretKey: Secret, _ token: Secret?
    ) async throws(UploadFailure) -> S3Credentials {
        // After a server has rejected the keys, a command runs again, unless another upload ran it 2 seconds ago.
        let age = Duration.seconds(2)
        var credentials = S3Credentials(
            accessKey: try await secrets.read(accessKey, notOlderThan: age),
            secretKey: try await secrets.read(secretKey, notOlderThan: age),
            origin: secretKey.isLiteral ? "the configuration" : "\(secretKey)")
        if let token { credentials.sessionToken = try await secrets.read(token, notOlderThan: age) }
        return try Self.checked(credentials)
    }

    private func fromEnvironment() throws(UploadFailure) -> S3Credentials? {
        try keys(
            in: environment, { $0.uppercased() },
            lack: "AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not",
            origin: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    }

    /// Returns the keys among `values`; nil if there is no access key.
    /// - Parameter lack: The reason of the failure if there is no secret key.
    private func keys(
        in values: [String: String], _ spell: (String) -> String = { $0 }, lack: String, origin: String
    ) throws(UploadFailure) -> S3Credentials? {
        guard let accessKey = values.filled(spell("aws_access_key_id")) else { return nil }
        guard let secret = values.filled(spell("aws_secret_access_key")) else { throw missing(lack) }
        return try Self.checked(
            S3Credentials(
                accessKey: accessKey, secretKey: secret,
                sessionToken: values.filled(spell("aws_session_token")), origin: origin))
    }

    /// Returns a profile's credentials; nil if no file contains the profile. Like AWS's tools, takes the keys in the
    /// credentials file, those in the config file, or the program in `credential_process`.
    private func profile(_ name: String) async throws(UploadFailure) -> S3Credentials? {
        let profiles = AWSProfiles(environment: environment)
        let late = missing("the files of AWS's profiles were not read in time")
        let sections = try await reads.value(
            of: profiles.credentialsFile, late: { _ in late },
            { () throws(UploadFailure) in
                [try profiles.credentials(name), try profiles.config(name)].compactMap { $0 }
            })
        for section in sections {
            let origin = "the profile \(name) in \(section.file)"
            let lack = "\(origin) has no aws_secret_access_key"
            if let found = try keys(in: section.values, lack: lack, origin: origin) { return found }
        }
        for section in sections {
            guard let line = section.values.filled("credential_process") else { continue }
            var words = AWSProfiles.words(line)
            guard !words.isEmpty else { continue }
            words[0] = LocalFiles.program(words[0])
            return try await Self.output(of: words)
        }
        guard let section = sections.first else { return nil }
        let others = sections.flatMap(\.values.keys).filter { $0.hasPrefix("sso_") || $0 == "role_arn" }
            .sorted()
        throw missing(
            "the profile \(name) in \(section.file) has no aws_access_key_id and no credential_process"
                + (others.first.map { " (Ferry does not read \($0))" } ?? ""))
    }

    private var files: String {
        let profiles = AWSProfiles(environment: environment)
        return [profiles.credentialsFile, profiles.configFile].map { file in
            FileManager.default.fileExists(atPath: file) ? file : "\(file) (which is not there)"
        }.joined(separator: " and ")
    }

    private func missing(_ what: String) -> UploadFailure {
        UploadFailure(
            .authentication, "there are no S3 credentials: \(what)",
            hint: "set them there or in the destination's auth.s3; for SSO, roles and instances use "
                + "{\"command\": [\"aws\", \"configure\", \"export-credentials\"]}")
    }

    /// The output of a `credential_process` (AWS SDKs and Tools Reference Guide, “Process credential provider”).
    private struct Printed: Decodable {
        var version: Int
        var accessKey: String
        var secretKey: String
        var sessionToken: String?
        var expiration: String?

        enum CodingKeys: String, CodingKey {
            case version = "Version"
            case accessKey = "AccessKeyId"
            case secretKey = "SecretAccessKey"
            case sessionToken = "SessionToken"
            case expiration = "Expiration"
        }
    }

    private static func output(of words: [String]) async throws(UploadFailure) -> S3Credentials {
        let secret = Secret.command(words)
        let text = try await SecretCommand.run(words, of: secret, passing: passedOn)
        guard let printed = try? JSONDecoder().decode(Printed.self, from: Data(text.utf8)),
            printed.version == 1
        else {
            throw SecretReader.missing(
                secret, "did not print JSON with Version 1, AccessKeyId and SecretAccessKey")
        }
        let end = printed.expiration.flatMap(date)
        guard printed.expiration == nil || end != nil else {
            throw SecretReader.missing(secret, "printed an Expiration that is not an ISO 8601 date")
        }
        return try checked(
            S3Credentials(
                accessKey: printed.accessKey, secretKey: printed.secretKey,
                sessionToken: printed.sessionToken.flatMap { $0.isEmpty ? nil : $0 }, expiration: end,
                origin: "\(secret)"))
    }

    private static func date(_ text: String) -> Date? {
        (try? Date.ISO8601FormatStyle().parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }

    /// Returns the credentials. Throws if one that is sent in a header field is empty or has an invalid character.
    private static func checked(_ credentials: S3Credentials) throws(UploadFailure) -> S3Credentials {
        func isVisible(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard isVisible(credentials.accessKey), !credentials.accessKey.contains(","),
            credentials.sessionToken.map(isVisible) ?? true
        else {
            throw UploadFailure(
                .authentication,
                "the access key or session token from \(credentials.origin) has characters that none has",
                hint: "check the destination's auth, then retry")
        }
        return credentials
    }
}
