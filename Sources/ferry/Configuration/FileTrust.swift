import FerryFiles
import FerryProtocols
import FerryTransfer
import FerryUploads

/// Decides who may change the files that control Ferry: the configuration, and the programs, keys and certificates that
/// it names. A user who can change one of them can run programs as Ferry's user, or read the uploads.
///
/// The rules are those of ssh for its own files (`StrictModes`): the file and every folder above it belong to the user
/// or to root, and no other user can write to them.
struct FileTrust {
    /// The user that Ferry runs as.
    private let user = Machine.user

    /// Checks a file, the target of a symbolic link, and the folders above both.
    ///
    /// - Parameter role: The file's role, at the beginning of a sentence.
    /// - Throws: `UploadFailure` (`permanent`) with the command that repairs it. A missing file is no danger.
    func check(_ path: String, as role: String) throws(UploadFailure) {
        var checked: Set<String> = []
        for file in [path, URL(fileURLWithPath: path).resolvingSymlinksInPath().path] {
            var part = URL(fileURLWithPath: file).path
            while checked.insert(part).inserted {
                try check(part, isFile: part == file, of: role)
                guard part != "/" else { break }
                part = LocalPath(part).parent?.text ?? "/"
            }
        }
    }

    private func check(_ path: String, isFile: Bool, of role: String) throws(UploadFailure) {
        guard let status = FileStatus.of(LocalPath(path), follows: false) else { return }
        let mode = status.mode
        let thing = isFile ? "\(role) \(path)" : "the folder \(path) above \(role)"
        guard status.owner == user || status.owner == 0 else {
            throw UploadFailure(
                .permanent, "\(thing) belongs to another user (\(Machine.name(of: status.owner)))",
                hint: "`chown \(Machine.name(of: user)) \(Self.quoted(path))`, or use one of your own")
        }
        // No user can write to a link itself; its target is checked by its own path.
        guard status.kind != .link else { return }
        // Root chose the groups that share a folder of root.
        let others: UInt32 = !isFile && status.owner == 0 && user != 0 ? 0o002 : 0o022
        let isSticky = !isFile && mode & 0o1000 != 0
        guard mode & others == 0 || isSticky else {
            throw UploadFailure(
                .permanent,
                "\(thing) can be changed by others (mode \(String(mode, radix: 8)))",
                hint: "`chmod go-w \(Self.quoted(path))`, then look whether it is as you left it")
        }
    }

    /// Returns the path as a single word of a shell's command line.
    private static func quoted(_ path: String) -> String {
        let plain = path.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+,:@%".unicodeScalars.contains($0)
        }
        return plain ? path : "'" + path.replacing("'", with: #"'\''"#) + "'"
    }
}

extension Configuration {
    /// The files that decide which programs Ferry runs and which servers it trusts, with their roles. Programs that are
    /// searched in `PATH` are not among them.
    var trustedFiles: [(role: String, path: String)] {
        var files: [(role: String, path: String)] = []
        for event in QueueEvent.Name.allCases {
            for command in hooks.commands[event] ?? [] where command.program.contains("/") {
                files.append(("the program of hooks.\(event.rawValue)", Self.absolute(command.program)))
            }
        }
        files += Self.files(of: [proxy.password].compactMap { $0 }, at: "proxy")
        for (name, destination) in destinations.sorted(by: { $0.key < $1.key }) {
            let place = "destinations.\(name)"
            files += Self.files(of: destination.authentication.secrets, at: "\(place).auth")
            files += Self.files(of: [destination.proxy?.password].compactMap { $0 }, at: "\(place).proxy")
            let tls = destination.tls
            files += [("caFile", tls.authorities), ("certificate", tls.certificate), ("key", tls.key)]
                .compactMap { key, path in
                    path.map { ("the file of \(place).tls.\(key)", Self.absolute($0)) }
                }
        }
        return files
    }

    private static func files(of secrets: [Secret], at place: String) -> [(role: String, path: String)] {
        secrets.compactMap { secret in
            switch secret {
            case .file(let path): ("the secret of \(place)", absolute(path))
            case .command(let words):
                words.first.map(LocalFiles.expanded).flatMap {
                    $0.contains("/") ? ("the program of \(place)", absolute($0)) : nil
                }
            case .environment, .literal: nil
            }
        }
    }

    /// Programs run in the home folder.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(LocalFiles.home)/\(path)"
    }
}
