import FerryProtocols
import FerryTransfer

/// The source of a secret, such as a token. Messages name only the source, never the secret.
enum Secret: Decodable, Equatable, CustomStringConvertible {
    case environment(String)
    case file(String)
    case command([String])
    /// The secret itself, as plain text. It is allowed only if no other user can read the configuration file.
    case literal(String)

    static let expected =
        "{\"env\": \"NAME\"}, {\"file\": \"path\"}, {\"command\": [\"program\", …]}, or text if only you can read the file"

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .literal(text)
            return
        }
        let fields = try Fields(decoder, ConfigurationTable.secret)
        let path = decoder.codingPath.names
        guard fields.keys.count == 1 else { throw ConfigurationIssue(path: path, expected: Self.expected) }
        if let name: String = try fields.value("env") {
            self = .environment(name)
        } else if let file: String = try fields.value("file") {
            self = .file(LocalFiles.configured(file))
        } else if let command: [String] = try fields.value("command"), !command.isEmpty {
            self = .command([LocalFiles.program(command[0])] + command.dropFirst())
        } else {
            throw ConfigurationIssue(path: path, expected: Self.expected)
        }
    }

    var description: String {
        switch self {
        case .environment(let name): "the environment variable \(name)"
        case .file(let path): "the file \(path)"
        case .command(let words): "the command \(words[0])"
        case .literal: "•••"
        }
    }

    var isLiteral: Bool {
        if case .literal = self { true } else { false }
    }

    /// The reason why the secret cannot be read now; nil if it can, and for a command, which is not run.
    var absence: String? {
        switch self {
        case .literal, .command: return nil
        case .environment(let name):
            switch ProcessInfo.processInfo.environment[name] {
            case nil: return "\(self) is not set"
            case ""?: return "\(self) is empty"
            case _?: return nil
            }
        case .file(let path):
            do throws(UploadFailure) {
                return try SecretReader.file(path, of: self).isEmpty ? "\(self) is empty" : nil
            } catch {
                return error.summary
            }
        }
    }
}

/// Reads secrets. The output of a command is cached for a minute.
actor SecretReader {
    private let reads: FileReads<String, UploadFailure>
    private var outputs: [[String]: (value: String, read: ContinuousClock.Instant)] = [:]
    private var running: [[String]: Task<Result<String, UploadFailure>, Never>] = [:]

    init(readers: BlockingIOPool = .shared) { reads = FileReads(readers) }

    /// Returns the secret: the first line in its source that is not empty.
    /// - Parameter age: The maximum age of a command's cached output.
    /// - Throws: `UploadFailure` (`authentication`) if the secret cannot be read or is empty.
    func read(_ secret: Secret, notOlderThan age: Duration = .seconds(60)) async throws(UploadFailure)
        -> String
    {
        let value: String
        switch secret {
        case .literal(let text): value = text
        case .environment(let name):
            guard let found = ProcessInfo.processInfo.environment[name] else {
                throw Self.missing(secret, "is not set")
            }
            value = found
        case .file(let path):
            let late = Self.missing(secret, "was not read in time")
            value = try await reads.value(
                of: path, late: { _ in late },
                { () throws(UploadFailure) in try Self.file(path, of: secret) })
        case .command(let words):
            if let known = outputs[words], .now - known.read < age {
                value = known.value
            } else {
                value = try await output(of: words, secret)
            }
        }
        let line = value.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        guard !line.isEmpty else { throw Self.missing(secret, "is empty") }
        return line
    }

    /// Runs a command, unless it runs already, and returns and caches its output.
    private func output(of words: [String], _ secret: Secret) async throws(UploadFailure) -> String {
        if let task = running[words] { return try await task.value.get() }
        let task = Task { () -> Result<String, UploadFailure> in
            do throws(UploadFailure) { return .success(try await SecretCommand.run(words, of: secret)) } catch
            {
                return .failure(error)
            }
        }
        running[words] = task
        let result = await task.value
        running[words] = nil
        let output = try result.get()
        outputs[words] = (output, .now)
        return output
    }

    static func missing(_ secret: Secret, _ what: String, hint: String = "put it right") -> UploadFailure {
        UploadFailure(
            .authentication, "the secret is missing: \(secret) \(what)", hint: "\(hint), then retry")
    }

    /// Throws if another user can change a file. The category `authentication` holds the upload until that is repaired.
    static func check(_ files: [NamedFile]) throws(UploadFailure) {
        do throws(UploadFailure) { try FileTrust.check(files) } catch {
            throw UploadFailure(.authentication, error.summary, hint: error.hint)
        }
    }

    fileprivate static func file(_ path: String, of secret: Secret) throws(UploadFailure) -> String {
        try check([("the file of a secret", path)])
        guard let mode = LocalFiles.mode(of: path) else { throw missing(secret, "cannot be found") }
        guard mode & 0o077 == 0 else {
            throw missing(
                secret, "can be read by others (mode \(String(mode & 0o777, radix: 8)))",
                hint: "`chmod 600 \(ShellWord.quoted(path))`")
        }
        guard let data = LocalFiles.content(of: path, waitsForWriter: false) else {
            guard !DescriptorLimit.isLow else { throw .noDescriptor(for: path) }
            throw missing(secret, "cannot be read")
        }
        guard data.count <= LocalFiles.sizeLimit else { throw missing(secret, "is larger than 1 MiB") }
        return String(decoding: data, as: UTF8.self)
    }
}
