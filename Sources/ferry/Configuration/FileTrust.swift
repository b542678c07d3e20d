import FerryFiles
import FerryProtocols
import FerryTransfer
import FerryUploads

/// Checks that no other user can change the files on which Ferry depends. These are the configuration, and the
/// programs, secrets, keys and certificates that it names. A user who could change such a file could run programs as
/// Ferry's user, or read the uploads.
///
/// `PathTrust` contains the rules. The files are checked when the configuration is loaded, and again before each use,
/// because a file that was missing can exist by then.
enum FileTrust {
    /// - Parameter role: A description of the file for the error message, such as `the configuration`.
    /// - Throws: `UploadFailure` (`permanent`) if another user can replace, change or create the file. The hint is the
    ///   command that repairs the mode or the owner. A missing file passes if only this user or root can create it.
    static func check(_ path: String, as role: String) throws(UploadFailure) {
        do throws(PathIssue) { try PathTrust.check(LocalPath(path)) } catch {
            throw UploadFailure(.permanent, error.summary(of: role), hint: error.hint)
        }
    }

    /// Checks a file that is possibly missing.
    ///
    /// - Returns: False if the file is missing and another user can create it. The caller must not open the file then.
    ///   True if no other user can replace, change or create the file.
    /// - Throws: `UploadFailure` (`permanent`) if another user can replace or change the file.
    static func allows(_ path: String, as role: String) throws(UploadFailure) -> Bool {
        do throws(PathIssue) { try PathTrust.check(LocalPath(path)) } catch {
            if case .creatable = error.cause { return false }
            throw UploadFailure(.permanent, error.summary(of: role), hint: error.hint)
        }
        return true
    }

    /// Throws if other users can read a file with a private key. The file's group is allowed to read it if root owns
    /// the file and Ferry does not run as root. A missing file passes.
    static func checkSecrecy(of path: String, as role: String) throws(UploadFailure) {
        guard let status = FileStatus.of(LocalPath(path), follows: true) else { return }
        let others: UInt32 = status.owner == 0 && Machine.user != 0 ? 0o007 : 0o077
        guard status.mode & others != 0 else { return }
        throw UploadFailure(
            .permanent, "others can read \(role) \(path)", hint: "`chmod 600 \(ShellWord.quoted(path))`")
    }

    static func check(_ files: [(role: String, path: String)]) throws(UploadFailure) {
        for (role, path) in files { try check(path, as: role) }
    }
}

extension Configuration {
    /// The files that no other user may change: programs, scripts, secrets, tokens, certificates and keys that the
    /// configuration names. `role` describes a file in error messages. A program whose name has no slash is left out,
    /// because the system searches it in `PATH`.
    var trustedFiles: [(role: String, path: String)] {
        var files: [(role: String, path: String)] = []
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
    var keyFiles: [(role: String, path: String)] {
        destinations.sorted { $0.key < $1.key }.flatMap {
            name, destination -> [(role: String, path: String)] in
            var keys = [("tls", destination.tls.key)]
            if case .oauth2(let settings) = destination.authentication {
                keys.append(("auth.oauth2.tls", settings.tls?.key))
            }
            return keys.compactMap { place, path in
                path.map { (role: "the file of destinations.\(name).\(place).key", path: $0) }
            }
        }
    }

    private static func files(of authentication: AuthenticationSettings, at place: String)
        -> [(role: String, path: String)]
    {
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

    private static func files(of tls: TLSSettings, at place: String) -> [(role: String, path: String)] {
        [("caFile", tls.caFile), ("certificate", tls.certificate), ("key", tls.key)].compactMap {
            key, path in
            path.map { ("the file of \(place).\(key)", $0) }
        }
    }

    private static func files(of secrets: [Secret], at place: String) -> [(role: String, path: String)] {
        secrets.flatMap { secret -> [(role: String, path: String)] in
            switch secret {
            case .file(let path): [("the secret of \(place)", path)]
            case .command(let words): programs(of: words, at: place)
            case .environment, .literal: []
            }
        }
    }

    /// Returns the program of a command, if its name has a slash, and the files and folders that the other words name.
    /// Many programs run a file that is named in their arguments, such as interpreters, `env` and `make`. Some
    /// programs, such as `cp`, run no such file: for these, returns only the program.
    static func programs(of words: [String], at place: String) -> [(role: String, path: String)] {
        guard let first = words.first else { return [] }
        let program = LocalFiles.program(first)
        let programs: [(role: String, path: String)] =
            program.hasPrefix("/") ? [("the program of \(place)", program)] : []
        // env(1) interprets a word with `=` as a variable, not as the program.
        let isPlain = !program.contains("=") && plainPrograms.contains(LocalPath(program).name)
        guard !isPlain else { return programs }
        let others = CommandWords.paths(in: words).filter { $0 != program }
        return programs + others.map { (role: "the path named in \(place)", path: $0) }
    }

    /// The programs that only write, copy or remove the files in their arguments, or use the arguments as text. They
    /// run no code from these files, so Ferry accepts files that others can change, such as a shared log.
    private static let plainPrograms: Set<String> = [
        "cp", "echo", "logger", "mkdir", "mv", "notify-send", "printf", "rm", "tee", "touch",
    ]
}

extension HookCommand {
    /// Returns the program of the hook and the paths in its arguments that other users must not be able to change.
    func files(at event: QueueEvent.Name) -> [(role: String, path: String)] {
        Configuration.programs(of: words, at: "hooks.\(event.rawValue)")
    }
}
