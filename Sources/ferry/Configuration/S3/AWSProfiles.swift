import FerryFiles
import FerryProtocols

/// The profiles of AWS's tools in `~/.aws/credentials` and `~/.aws/config`, or in the files that the environment names.
///
/// Source: AWS SDKs and Tools Reference Guide, “Shared config and credentials files”.
struct AWSProfiles {
    let credentialsFile: String
    let configFile: String
    /// The name of the profile to use if the user names none.
    let defaultName: String
    private let environment: [String: String]

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
        func path(_ variable: String, _ name: String) -> String {
            LocalFiles.expanded(environment.filled(variable) ?? "~/.aws/\(name)")
        }
        credentialsFile = path("AWS_SHARED_CREDENTIALS_FILE", "credentials")
        configFile = path("AWS_CONFIG_FILE", "config")
        defaultName =
            environment.filled("AWS_PROFILE") ?? environment.filled("AWS_DEFAULT_PROFILE") ?? "default"
    }

    struct Section {
        var file: String
        var values: [String: String]
    }

    /// Returns the profile in the credentials file; nil if it cannot be read or does not contain the profile. Throws
    /// `UploadFailure` (`permanent`) if other users can change the file, or read the secrets in it.
    func credentials(_ name: String) throws(UploadFailure) -> Section? {
        try checkSecrecy()
        return try section([name], of: credentialsFile)
    }

    /// Returns the profile in the config file; nil if it cannot be read or does not contain the profile. Throws
    /// `UploadFailure` (`permanent`) if other users can change the file, because it can name a program.
    func config(_ name: String) throws(UploadFailure) -> Section? {
        try section(name == "default" ? ["default", "profile default"] : ["profile \(name)"], of: configFile)
    }

    private func checkSecrecy() throws(UploadFailure) {
        guard let mode = LocalFiles.mode(of: credentialsFile), mode & 0o077 != 0 else { return }
        // No other user can read a file below a folder that only its owner may enter.
        var folder = LocalPath(URL(fileURLWithPath: credentialsFile).path).parent
        while let next = folder, next.text != "/" {
            if LocalFiles.mode(of: next.text).map({ $0 & 0o011 == 0 }) ?? false { return }
            folder = next.parent
        }
        throw UploadFailure(
            .permanent,
            "others can read the secrets in \(credentialsFile) (mode \(String(mode & 0o777, radix: 8)))",
            hint: "`chmod 600 \(ShellWord.quoted(credentialsFile))`")
    }

    /// Returns the region with which Ferry signs the first requests, until a server names another; nil if none is set.
    /// - Parameter profile: The profile that contains the region; nil for the environment or the default profile.
    func region(_ profile: String?) -> String? {
        let name = profile ?? defaultName
        let set =
            profile == nil
            ? environment.filled("AWS_REGION") ?? environment.filled("AWS_DEFAULT_REGION") : nil
        let files = [try? config(name), try? credentials(name)].compactMap { $0 }
        return set ?? files.lazy.compactMap { $0.values["region"] }.first
    }

    private func section(_ names: [String], of file: String) throws(UploadFailure) -> Section? {
        guard try FileTrust.allows(file, as: "the file of AWS's profiles"),
            let data = LocalFiles.content(of: file, waitsForWriter: false)
        else { return nil }
        let sections = Self.parse(String(decoding: data.prefix(1 << 20), as: UTF8.self))
        return names.lazy.compactMap { name in
            sections[name].map { Section(file: file, values: $0) }
        }.first
    }

    /// Returns the settings of each section of a file. Skips indented lines, which no setting that Ferry reads has.
    static func parse(_ text: String) -> [String: [String: String]] {
        var sections: [String: [String: String]] = [:]
        var current: String?
        for line in text.split(whereSeparator: \.isNewline) {
            guard let first = line.first, !first.isWhitespace, first != "#", first != ";" else { continue }
            if first == "[" {
                let words = line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
                let name = words.joined(separator: " ").replacing("\"", with: "")
                current = name
                sections[name] = sections[name] ?? [:]
            } else if let current, let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].trimmed().lowercased()
                sections[current]?[key] = line[line.index(after: equals)...].trimmed()
            }
        }
        return sections
    }

    /// Splits the value of `credential_process` into words. Quotes keep spaces in a word.
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let done = word { words.append(done) }
        return words
    }
}

extension [String: String] {
    /// Returns the value of a key; nil if the key is absent or its value is empty.
    func filled(_ key: String) -> String? { self[key].flatMap { $0.isEmpty ? nil : $0 } }
}
