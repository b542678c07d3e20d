import FerryProtocols
import FerryTransfer
import HTTPTypes

/// Finds, reads and checks the configuration.
enum ConfigurationFile {
    /// Reads and checks the configuration file; the defaults if `path` is nil and there is no default file.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the file cannot be read or has an invalid value. Also throws if other
    ///   users can change it or a file that it names, or read a secret or a private key in them.
    static func load(_ path: String?) throws(UploadFailure) -> Configuration {
        let file = path.map(LocalFiles.expanded) ?? LocalFiles.configuration
        // The check comes first: no other user can replace a file that passes it.
        if path == nil {
            guard try FileTrust.allows(file, as: "the configuration") else { return Configuration() }
        } else {
            try FileTrust.check(file, as: "the configuration")
        }
        guard let data = LocalFiles.content(of: file) else {
            if path == nil, LocalFiles.mode(of: file) == nil { return Configuration() }
            throw UploadFailure(
                .permanent, "the configuration \(file) cannot be read",
                hint: "`ferry init` makes one, `ferry config --print-example` prints one")
        }
        guard data.count <= LocalFiles.sizeLimit else {
            throw UploadFailure(
                .permanent, "the configuration \(file) is larger than 1 MiB",
                hint: "is it the right file? `ferry config --print-example` prints one")
        }
        let configuration = try parse(data, file: file)
        try checkLiterals(configuration, file: file)
        try FileTrust.check(configuration.trustedFiles)
        for (role, path) in configuration.keyFiles { try FileTrust.checkSecrecy(of: path, as: role) }
        return configuration
    }

    static func parse(_ data: Data, file: String) throws(UploadFailure) -> Configuration {
        try decode(data, file: file, example: "`ferry config --print-example` prints a valid one")
    }

    /// Decodes the content of a JSON file.
    /// - Parameter example: The hint that tells the user where to find a valid example.
    /// - Throws: `UploadFailure` (`permanent`) with the file, and the position or key of the error.
    static func decode<Value: Decodable>(
        _ data: Data, file: String, example: String
    ) throws(UploadFailure) -> Value {
        if let error = syntaxError(in: data) {
            throw UploadFailure(
                .permanent, "\(file) is not valid JSON: \(error.text(in: data))", hint: example)
        }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch let issue as ConfigurationIssue {
            throw wrong(file, issue.path, "expected \(issue.expected)")
        } catch DecodingError.typeMismatch(let type, let context) {
            throw wrong(file, context.codingPath.names, "expected \(name(of: type))")
        } catch DecodingError.valueNotFound(let type, let context) {
            throw wrong(file, context.codingPath.names, "expected \(name(of: type)), found null")
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw wrong(file, context.codingPath.names, context.debugDescription)
        } catch {
            throw UploadFailure(.permanent, "\(file) is not valid JSON", hint: example)
        }
    }

    /// Returns the first syntax error of a JSON text; nil if there is none, and for UTF-16 and UTF-32. `JSONDecoder`
    /// reports no position, and accepts a comma after the last member.
    static func syntaxError(in data: Data) -> MalformedJSON? {
        let start = Array(data.prefix(2))
        guard !start.contains(0), ![[0xFE, 0xFF], [0xFF, 0xFE]].contains(start) else { return nil }
        return Array(data).withUnsafeBufferPointer(JSONWalk.error)
    }

    private static func wrong(_ file: String, _ path: [String], _ what: String) -> UploadFailure {
        let key = path.isEmpty ? "the top level" : path.joined(separator: ".")
        return UploadFailure(.permanent, "\(file): \(key): \(what)", hint: "`ferry config` checks it again")
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Bool.Type: "true or false"
        case is Int.Type, is Int64.Type: "a whole number"
        case is Double.Type: "a number"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }

    /// Throws if the configuration contains a secret as plain text and other users can read the configuration file.
    private static func checkLiterals(_ configuration: Configuration, file: String) throws(UploadFailure) {
        guard let mode = LocalFiles.mode(of: file), mode & 0o077 != 0 else { return }
        var keys = configuration.proxy.password?.isLiteral ?? false ? ["proxy"] : []
        for (name, destination) in configuration.destinations.sorted(by: { $0.key < $1.key }) {
            keys += destination.literalSecrets.map { "destinations.\(name).\($0)" }
        }
        if let key = keys.first {
            throw UploadFailure(
                .permanent,
                "\(file): \(key): a secret is written here and others can read the file (mode "
                    + "\(String(mode & 0o777, radix: 8)))",
                hint: "`chmod 600 \(ShellWord.quoted(file))`, "
                    + "or use env, file or command where auth and proxy take them")
        }
    }
}

extension DestinationSettings {
    /// The keys of the destination whose values contain a secret as plain text, such as `auth`.
    fileprivate var literalSecrets: [String] {
        var keys = authentication.secrets.contains { $0.isLiteral } ? ["auth"] : []
        if proxy?.password?.isLiteral ?? false { keys.append("proxy") }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            guard let field = HTTPField.Name(name).map({ HTTPField(name: $0, value: value) }) else {
                continue
            }
            let mayBeSecret =
                Redaction.mayHoldSecret(field) && Redaction.looksRandom(value) && !url.contains(value)
            if Redaction.holdsSecret(field) || mayBeSecret { keys.append("headers.\(name)") }
        }
        keys += parameters.filter { isSecret($0.name, $0.value) }.map { "parameters.\($0.name)" }
        if case .oauth2(let settings) = authentication, hasSecret(inQueryOf: settings.tokenURL) {
            keys.append("auth.oauth2.tokenURL")
        }
        return keys + (hasSecret(inQueryOf: url) ? ["url"] : [])
    }

    private func hasSecret(inQueryOf url: String) -> Bool {
        UploadAddress.queryItems(of: url).contains { name, value in
            guard !value.isEmpty, !value.contains(UploadAddress.nameMark) else { return false }
            return Redaction.tellsSecret(name.percentDecoded() ?? name)
                || Redaction.looksRandom(value.percentDecoded() ?? value)
        }
    }

    /// Returns true if the name of a form parameter, such as `token`, shows a secret, and its value can be one. A value
    /// with `{name}` differs from file to file.
    private func isSecret(_ name: String, _ value: String) -> Bool {
        value.count >= 4 && !["true", "false"].contains(value) && !value.contains(UploadAddress.nameMark)
            && Redaction.tellsSecret(name)
    }
}
