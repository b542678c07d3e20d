import FerryFiles
import FerryProtocols
import FerryTransfer

/// The member `s3` of a destination: the location of its bucket, and the signature of bodies.
struct S3Fields: Decodable, Equatable {
    /// The region; nil for the environment's or the profile's, else us-east-1. Servers correct it.
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

    /// Returns the URL behind `url`, and the position of the bucket in it.
    ///
    /// - Parameter fields: The destination's members, to name the invalid one.
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
            let place = try S3Location(url, endpoint: endpoint, region: region, addressing: addressing)
            return (place.url, place.isBucketInPath)
        } catch {
            throw fields.error(error.isEndpoint ? "s3.endpoint" : "url", error.expected)
        }
    }

    private static func isToken(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
}

/// The source of an S3 destination's credentials.
enum S3Authentication: Decodable, Equatable {
    /// The credentials of the environment, then of the profile that it names, as for AWS's own tools.
    case found
    case profile(String)
    case keys(accessKey: Secret, secretKey: Secret, sessionToken: Secret?)
    /// A command that prints credentials like the `credential_process` of AWS's tools.
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
            guard command.first?.isEmpty == false else {
                throw fields.error("command", "a program and its arguments, as a list")
            }
            self = .command(command)
        } else if hasKeys {
            guard let accessKey else { throw fields.error("accessKey", "the key's public half") }
            guard let secretKey else { throw fields.error("secretKey", Secret.expected) }
            self = .keys(accessKey: accessKey, secretKey: secretKey, sessionToken: token)
        } else {
            self = .found
        }
    }

    /// The secrets; the access key is none.
    var secrets: [Secret] {
        guard case .keys(_, let secret, let token) = self else { return [] }
        return [secret] + [token].compactMap { $0 }
    }
}
