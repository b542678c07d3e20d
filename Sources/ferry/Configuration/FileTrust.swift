import FerryProtocols
import FerryTransfer
import FerryUploads

/// A file or folder that the configuration names. `role` describes it in error messages.
typealias NamedFile = (role: String, path: String)

/// Checks that no other user can change the files on which Ferry depends: the configuration, and the programs, secrets,
/// keys and certificates that it names. `PathTrust` contains the rules. The files are checked when the configuration is
/// loaded, and again before each use, because a file that was missing can exist by then.
enum FileTrust {
    /// - Throws: `UploadFailure` (`permanent`) if another user can replace, change or create the file. The hint is the
    ///   command that repairs the mode or the owner. A missing file passes if only this user or root can create it.
    static func check(_ path: String, as role: String) throws(UploadFailure) {
        do throws(PathIssue) { try PathTrust.check(LocalPath(path)) } catch {
            throw UploadFailure(.permanent, error.summary(of: role), hint: error.hint)
        }
    }

    /// Returns false if the file is missing and another user can create it, so that the caller must not open it.
    /// - Throws: `UploadFailure` (`permanent`) if another user can replace or change the file.
    static func allows(_ path: String, as role: String) throws(UploadFailure) -> Bool {
        do throws(PathIssue) { try PathTrust.check(LocalPath(path)) } catch {
            if case .creatable = error.cause { return false }
            throw UploadFailure(.permanent, error.summary(of: role), hint: error.hint)
        }
        return true
    }

    /// Throws if other users can read a file with a private key. The file's group may read it if root owns the file and
    /// Ferry does not run as root. A missing file passes.
    static func checkSecrecy(of path: String, as role: String) throws(UploadFailure) {
        guard let status = FileStatus.of(LocalPath(path), follows: true) else { return }
        let others: UInt32 = status.owner == 0 && Machine.user != 0 ? 0o007 : 0o077
        guard status.mode & others != 0 else { return }
        throw UploadFailure(
            .permanent, "others can read \(role) \(path)", hint: "`chmod 600 \(ShellWord.quoted(path))`")
    }

    static func check(_ files: [NamedFile]) throws(UploadFailure) {
        for (role, path) in files { try check(path, as: role) }
    }
}

extension Configuration {
    /// The files that no other user may change. Leaves out programs without a slash, which are searched in `PATH`.
    var trustedFiles: [NamedFile] {
        var files: [NamedFile] = []
        for event in QueueEvent.Name.allCases {
            files += (hooks.commands[event] ?? []).flatMap { $0.files(at: event) }
        }
        files += Self.files(of: [proxy.password].compactMap { $0 }, at: "proxy")
        for (name, destination) in destinations.sorted(by: { $0.key < $1.key }) {
            let key = "destinations.\(name)"
            files += Self.files(of: destination.authentication, at: "\(key).auth")
            files += Self.files(of: [destination.proxy?.password].compactMap { $0 }, at: "\(key).proxy")
            files += Self.files(of: destination.tls, at: "\(key).tls")
        }
        return files
    }

    /// The files with the private keys of TLS client certificates, which other users must not be able to read.
    var keyFiles: [NamedFile] {
        destinations.sorted { $0.key < $1.key }.flatMap { name, destination -> [NamedFile] in
            var keys = [("tls", destination.tls.key)]
            if case .oauth2(let settings) = destination.authentication {
                keys.append(("auth.oauth2.tls", settings.tls?.key))
            }
            return keys.compactMap { place, path in
                path.map { (role: "the file of destinations.\(name).\(place).key", path: $0) }
            }
        }
    }

    private static func files(of authentication: AuthenticationSettings, at place: String) -> [NamedFile] {
        switch authentication {
        case .s3(.command(let words)): programs(of: words, at: "\(place).s3.command")
        case .s3(.keys(let accessKey, _, _)): files(of: [accessKey] + authentication.secrets, at: place)
        case .oauth2(let settings):
            files(of: authentication.secrets, at: place)
                + (settings.tls.map { files(of: $0, at: "\(place).oauth2.tls") } ?? [])
                + (settings.tokenFile.map { [("the file of \(place).oauth2.tokenFile", $0)] } ?? [])
        case .none, .basic, .bearer, .s3: files(of: authentication.secrets, at: place)
        }
    }

    private static func files(of tls: TLSSettings, at place: String) -> [NamedFile] {
        [("caFile", tls.caFile), ("certificate", tls.certificate), ("key", tls.key)].compactMap { key, path in
            path.map { ("the file of \(place).\(key)", $0) }
        }
    }

    private static func files(of secrets: [Secret], at place: String) -> [NamedFile] {
        secrets.flatMap { secret -> [NamedFile] in
            switch secret {
            case .file(let path): [("the secret of \(place)", path)]
            case .command(let words): programs(of: words, at: place)
            case .environment, .literal: []
            }
        }
    }

    /// Returns the program of a command, if its name has a slash, and the files and folders that the other words name:
    /// interpreters, `env` and `make` run a file that is named in their arguments.
    static func programs(of words: [String], at place: String) -> [NamedFile] {
        guard let first = words.first else { return [] }
        let program = LocalFiles.program(first)
        let programs: [NamedFile] = program.hasPrefix("/") ? [("the program of \(place)", program)] : []
        // env(1) interprets a word with `=` as a variable, not as the program.
        let isPlain = !program.contains("=") && plainPrograms.contains(LocalPath(program).name)
        guard !isPlain else { return programs }
        let others = CommandWords.paths(in: words).filter { $0 != program }
        return programs + others.map { (role: "the path named in \(place)", path: $0) }
    }

    /// The programs that run no code from the files in their arguments, which others can change, such as a shared log.
    private static let plainPrograms: Set<String> = [
        "cp", "echo", "logger", "mkdir", "mv", "notify-send", "printf", "rm", "tee", "touch",
    ]
}

extension HookCommand {
    /// Returns the program of the hook and the paths in its arguments that other users must not be able to change.
    func files(at event: QueueEvent.Name) -> [NamedFile] {
        Configuration.programs(of: words, at: "hooks.\(event.rawValue)")
    }
}
