import FerryProtocols
import FerryTransfer

/// The member `s3` of a destination.
struct S3Fields: Decodable, Equatable {
    /// The region with which the first requests are signed; nil for that of `S3CredentialSource.region` or us-east-1.
    var region: String?
    var endpoint: String?
    var addressing = S3Location.Addressing.auto
    var payload = S3PayloadForm.auto
    var storageClass: String?

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.s3)
        region = try fields.value("region", "a name such as eu-west-1", where: Self.isToken)
        endpoint = try fields.value("endpoint")
        addressing = try fields.choice("addressing") ?? addressing
        payload = try fields.choice("payload") ?? payload
        storageClass = try fields.value("storageClass", "a name such as STANDARD_IA", where: Self.isToken)
    }

    /// Converts an `s3://` URL to an HTTP URL. It may be unknown whether the path contains the bucket (nil).
    /// - Parameter fields: The members of the destination, for the key path of an error.
    func resolved(_ url: String, in fields: Fields) throws -> (url: String, bucketInPath: Bool?) {
        guard S3Location.isLocation(url) else {
            guard endpoint == nil else {
                throw fields.error(
                    "s3.endpoint",
                    "no such member: url says where the server is; or write url as s3://bucket/folder/")
            }
            let isInPath: Bool? =
                switch addressing {
                case .auto: nil
                case .path: true
                case .host: false
                }
            return (url, isInPath)
        }
        do {
            let location = try S3Location(url, endpoint: endpoint, region: region, addressing: addressing)
            return (location.url, location.isBucketInPath)
        } catch {
            throw fields.error(error.isEndpoint ? "s3.endpoint" : "url", error.expected)
        }
    }

    private static func isToken(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
}

/// The source of an S3 destination's credentials (`auth.s3`).
enum S3Authentication: Decodable, Equatable {
    /// The credentials in the environment, otherwise in the profile `AWSProfiles.defaultName`.
    case found
    case profile(String)
    case keys(accessKey: Secret, secretKey: Secret, sessionToken: Secret?)
    /// A command that prints credentials in the form of a `credential_process` of AWS's tools.
    case command([String])

    init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            guard word == "default" else {
                throw ConfigurationIssue(
                    path: decoder.codingPath.names,
                    expected: "\"default\", or an object with accessKey and secretKey, profile or command")
            }
            self = .found
            return
        }
        let fields = try Fields(decoder, ConfigurationTable.s3Authentication)
        let profile: String? = try fields.value("profile")
        let command: [String]? = try fields.value("command")
        let accessKey: Secret? = try fields.value("accessKey")
        let secretKey: Secret? = try fields.value("secretKey")
        let token: Secret? = try fields.value("sessionToken")
        let hasKeys = accessKey != nil || secretKey != nil || token != nil
        guard [profile != nil, command != nil, hasKeys].count(where: { $0 }) < 2 else {
            throw fields.error(
                fields.keys.sorted()[1], "one kind: accessKey and secretKey, profile, or command")
        }
        if let profile {
            guard !profile.isEmpty else { throw fields.error("profile", "the name of a profile") }
            self = .profile(profile)
        } else if let command {
            guard let program = command.first, !program.isEmpty else {
                throw fields.error("command", "a program and its arguments, as a list")
            }
            self = .command([LocalFiles.program(program)] + command.dropFirst())
        } else if hasKeys {
            guard let accessKey else { throw fields.error("accessKey", "the key's public half") }
            guard let secretKey else { throw fields.error("secretKey", Secret.expected) }
            self = .keys(accessKey: accessKey, secretKey: secretKey, sessionToken: token)
        } else {
            self = .found
        }
    }

    /// The sources of the secret key and of the session token. The access key is not a secret.
    var secrets: [Secret] {
        guard case .keys(_, let secret, let token) = self else { return [] }
        return [secret] + [token].compactMap { $0 }
    }
}
