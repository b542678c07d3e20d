import FerryFiles
import FerryProtocols
import FerryTransfer
import FerryUploads

/// Checks that no other user can change the files that control Ferry: the configuration, and the programs, keys and
/// certificates that it names. A user who can change one of them can run programs as Ferry's user, or read the uploads.
///
/// The rules are those of ssh for its own files (`StrictModes`): the file and every folder above it belong to the user
/// or to root, and no other user can write to them. Unlike ssh, Ferry accepts a folder with the sticky bit. If Ferry
/// does not run as root, it also accepts a folder of root to which the folder's group can write.
struct FileTrust {
    /// The user that Ferry runs as.
    private let user = Machine.user

    /// The maximum number of symbolic links to follow for one path, as in Linux (path_resolution(7)).
    private static let linkLimit = 40

    /// Checks a file and each folder on its path. For a symbolic link, also checks the path of its target. Another user
    /// who can write to one of them can replace the file.
    ///
    /// A file that passes can be opened by its path afterwards, because no other user can change any part of the path.
    ///
    /// - Parameter role: The role of the file. It begins the message, such as `the configuration`.
    /// - Throws: `UploadFailure` (`permanent`) if another user can replace or change the file. The hint is the command
    ///   that repairs the mode or the owner. Also throws if the path has more than 40 symbolic links. A missing file
    ///   passes.
    func check(_ path: String, as role: String) throws(UploadFailure) {
        var left = URL(fileURLWithPath: path).path.split(separator: "/").map(String.init)[...]
        var current = ""
        var links = 0
        try check("/", isFile: false, of: role)
        while let name = left.popFirst() {
            if name == "." { continue }
            if name == ".." {
                current = String(current[..<(current.lastIndex(of: "/") ?? current.startIndex)])
                continue
            }
            let next = "\(current)/\(name)"
            try check(next, isFile: left.isEmpty, of: role)
            guard let target = LocalPath(next).linkTarget else {
                current = next
                continue
            }
            links += 1
            guard links <= Self.linkLimit else {
                throw UploadFailure(
                    .permanent, "\(role) \(path) is behind too many symbolic links", hint: "use a direct path"
                )
            }
            if target.bytes.first == UInt8(ascii: "/") { current = "" }
            left = (target.text.split(separator: "/").map(String.init) + left)[...]
        }
    }

    private func check(_ path: String, isFile: Bool, of role: String) throws(UploadFailure) {
        guard let status = FileStatus.of(LocalPath(path), follows: false) else { return }
        let mode = status.mode
        let thing = isFile ? "\(role) \(path)" : "the folder \(path) above \(role)"
        guard status.owner == user || status.owner == 0 else {
            throw UploadFailure(
                .permanent, "\(thing) belongs to another user (\(Machine.name(of: status.owner)))",
                hint: "`chown \(Machine.name(of: user)) \(ShellWord.quoted(path))`, or use one of your own")
        }
        // The mode of a link has no meaning. The path of its target is checked separately.
        guard status.kind != .link else { return }
        // In a folder of root, the group may write: root has chosen its members.
        let others: UInt32 = !isFile && status.owner == 0 && user != 0 ? 0o002 : 0o022
        let isSticky = !isFile && mode & 0o1000 != 0
        guard mode & others == 0 || isSticky else {
            throw UploadFailure(
                .permanent,
                "\(thing) can be changed by others (mode \(String(mode, radix: 8)))",
                hint: "`chmod go-w \(ShellWord.quoted(path))`, then look whether it is as you left it")
        }
    }
}

extension Configuration {
    /// The files of programs, scripts, secrets, certificates and keys that the configuration names, with their roles
    /// for messages. A program whose name has no slash is left out, because the system searches it in `PATH`.
    var trustedFiles: [(role: String, path: String)] {
        var files: [(role: String, path: String)] = []
        for event in QueueEvent.Name.allCases {
            for command in hooks.commands[event] ?? [] where command.program.contains("/") {
                files.append(
                    ("the program of hooks.\(event.rawValue)", LocalFiles.configured(command.program)))
            }
            for command in hooks.commands[event] ?? [] {
                files += Self.script(of: command.words).map {
                    ("the script of hooks.\(event.rawValue)", $0)
                }
            }
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
