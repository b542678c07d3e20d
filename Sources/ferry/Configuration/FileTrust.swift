import FerryFiles
import FerryProtocols
import FerryTransfer
import FerryUploads

/// Checks that no other user can change the files that control Ferry: the configuration, and the programs, keys and
/// certificates that it names. A user who can change one of them can run programs as Ferry's user, or read the uploads.
///
/// `PathTrust` has the rules. The files are checked when the configuration is loaded, and again before each use: another
/// user may meanwhile have created a missing one.
enum FileTrust {
    /// - Parameter role: The role of the file. It begins the message, such as `the configuration`.
    /// - Throws: `UploadFailure` (`permanent`) if another user can replace, change or create the file. The hint is the
    ///   command that repairs the mode or the owner. A file that is missing passes if only this user can create it.
    static func check(_ path: String, as role: String) throws(UploadFailure) {
        do throws(PathIssue) { try PathTrust.check(LocalPath(path)) } catch {
            throw UploadFailure(.permanent, error.summary(of: role), hint: error.hint)
        }
    }

    /// Checks a file that may be missing.
    ///
    /// - Returns: False if the file is missing and another user can create it. The caller must not open it.
    static func allows(_ path: String, as role: String) throws(UploadFailure) -> Bool {
        do throws(PathIssue) { try PathTrust.check(LocalPath(path)) } catch {
            if case .creatable = error.cause { return false }
            throw UploadFailure(.permanent, error.summary(of: role), hint: error.hint)
        }
        return true
    }

    /// Checks files right before their use, as `check` does.
    static func check(_ files: [(role: String, path: String)]) throws(UploadFailure) {
        for (role, path) in files { try check(path, as: role) }
    }
}

extension Configuration {
    /// The files of programs, scripts, secrets, certificates and keys that the configuration names, with their roles
    /// for messages. A program whose name has no slash is left out, because the system searches it in `PATH`.
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

    private static func files(of authentication: AuthenticationSettings, at place: String)
        -> [(role: String, path: String)]
    {
        switch authentication {
        case .s3(.command(let words)): programs(of: words, at: "\(place).s3.command")
        case .s3(.keys(let accessKey, _, _)): files(of: [accessKey] + authentication.secrets, at: place)
        case .oauth2(let settings):
            files(of: authentication.secrets, at: place)
                + (settings.tls.map { files(of: $0, at: "\(place).oauth2.tls") } ?? [])
        case .none, .basic, .bearer, .s3: files(of: authentication.secrets, at: place)
        }
    }

    private static func files(of tls: TLSSettings, at place: String) -> [(role: String, path: String)] {
        [("caFile", tls.authorities), ("certificate", tls.certificate), ("key", tls.key)].compactMap {
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

    /// Returns the program of a command if its name has a slash. If the program is an interpreter, also returns the
    /// existing files among its arguments.
    static func programs(of words: [String], at place: String) -> [(role: String, path: String)] {
        let program = words.first.map(LocalFiles.program).flatMap { $0.hasPrefix("/") ? $0 : nil }
        return [program].compactMap { $0.map { ("the program of \(place)", $0) } }
            + script(of: words).map { ("the script of \(place)", $0) }
    }

    /// The programs that run a script named in their arguments, or that start another program, such as `sudo`.
    private static let interpreters: Set<String> = [
        "ash", "awk", "bash", "bun", "busybox", "chrt", "dash", "deno", "doas", "env", "exec", "fish", "gawk",
        "ionice", "java", "ksh", "lua", "mawk", "mksh", "nice", "node", "nodejs", "nohup", "perl", "php",
        "pwsh",
        "pypy", "python", "rscript", "ruby", "runuser", "setpriv", "setsid", "sh", "stdbuf", "sudo",
        "systemd-run",
        "taskset", "tclsh", "timeout", "unshare", "xargs", "zsh",
    ]

    /// Returns the regular files among the arguments, if the program is an interpreter in any version, such as
    /// `python3.11`.
    private static func script(of words: [String]) -> [String] {
        guard let program = words.first,
            interpreters.contains(
                String(
                    LocalPath(program).name.lowercased().trimmed {
                        "0123456789.-".unicodeScalars.contains($0)
                    }))
        else { return [] }
        return words.dropFirst().map(LocalFiles.configured).filter {
            FileStatus.of(LocalPath($0), follows: true)?.kind == .file
        }
    }
}

extension HookCommand {
    /// The program of the hook, and the scripts among its arguments.
    func files(at event: QueueEvent.Name) -> [(role: String, path: String)] {
        Configuration.programs(of: words, at: "hooks.\(event.rawValue)")
    }
}
