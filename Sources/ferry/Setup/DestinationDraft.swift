import FerryFiles
import FerryProtocols

/// A destination that the user has described and that is not in the configuration yet.
struct DestinationDraft: Equatable {
    /// A secret that the user typed, or the source from which Ferry reads the secret.
    enum SecretInput: Equatable {
        case environment(String)
        case typed(String)
        case file(String)

        /// Interprets the text that a user typed: an environment variable such as `$TOKEN`, or the secret itself.
        init(_ text: String) {
            let name = text.dropFirst()
            let isName =
                text.hasPrefix("$") && name.first.map { $0.isUppercase || $0 == "_" } ?? false
                && name.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") }
            self = isName ? .environment(String(name)) : .typed(text)
        }
    }

    enum SignIn: Equatable {
        case none
        case basic(user: String, password: SecretInput)
        case bearer(SecretInput)
        /// The credentials that AWS's tools find: in the environment, otherwise in the default profile.
        case s3Found
        case s3Profile(String)
        case s3Keys(accessKey: String, secretKey: SecretInput)

        var secret: SecretInput? {
            switch self {
            case .none, .s3Found, .s3Profile: nil
            case .basic(_, let secret), .bearer(let secret), .s3Keys(_, let secret): secret
            }
        }

        /// The word for the secret in the name of its file.
        var secretKind: String {
            switch self {
            case .basic: "password"
            case .bearer: "token"
            case .none, .s3Found, .s3Profile, .s3Keys: "secret-key"
            }
        }
    }

    var name: String
    var url: String
    var protocolName: String
    var signIn = SignIn.none

    var typedSecret: String? {
        if case .typed(let text) = signIn.secret { text } else { nil }
    }

    /// - Parameter secretFile: The path of the file for a typed secret; nil to write a typed secret into the JSON.
    func json(secretFile: String?) -> String {
        var members = ["\"url\": \(JSONLine.quoted(url))"]
        if protocolName != AutoUpload.name {
            members.append("\"protocol\": \(JSONLine.quoted(protocolName))")
        }
        if let authentication = authentication(secretFile) { members.append("\"auth\": \(authentication)") }
        return "{\n" + members.map { "  " + $0 }.joined(separator: ",\n") + "\n}"
    }

    private func authentication(_ secretFile: String?) -> String? {
        func text(_ secret: SecretInput) -> String {
            switch secret {
            case .environment(let name): "{ \"env\": \(JSONLine.quoted(name)) }"
            case .file(let path): "{ \"file\": \(JSONLine.quoted(path)) }"
            case .typed(let text):
                secretFile.map { "{ \"file\": \(JSONLine.quoted($0)) }" } ?? JSONLine.quoted(text)
            }
        }
        return switch signIn {
        case .none, .s3Found: nil
        case .basic(let user, let password):
            "{ \"basic\": { \"user\": \(JSONLine.quoted(user)), \"password\": \(text(password)) } }"
        case .bearer(let token): "{ \"bearer\": \(text(token)) }"
        case .s3Profile(let name): "{ \"s3\": { \"profile\": \(JSONLine.quoted(name)) } }"
        case .s3Keys(let accessKey, let secretKey):
            "{ \"s3\": { \"accessKey\": \(JSONLine.quoted(accessKey)), \"secretKey\": \(text(secretKey)) } }"
        }
    }

    /// Suggests a name: the first part of the URL's host or bucket, or `server`, with a number if it is taken.
    static func name(for url: String, besides taken: Set<String>) -> String {
        let host = URL(string: url)?.host(percentEncoded: false) ?? ""
        let isNumeric = host.allSatisfy { $0.isNumber || $0 == "." || $0 == ":" }
        let first = host.split(separator: ".").first.map { $0.lowercased() } ?? ""
        let base = isNumeric || first.isEmpty ? "server" : first
        guard taken.contains(base) else { return base }
        return (2...taken.count + 2).lazy.map { "\(base)-\($0)" }.first { !taken.contains($0) } ?? base
    }

    /// Returns the text that follows "expected" in the error for an invalid name; nil if the name is valid.
    static func expectation(brokenBy name: String, besides taken: Set<String>) -> String? {
        if taken.contains(name) { return "another name: there is a destination \(name)" }
        let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        return (1...64).contains(name.count) && isPlain && !name.hasPrefix("-")
            ? nil : "a name of letters, digits, - _ and ., at most 64"
    }
}
