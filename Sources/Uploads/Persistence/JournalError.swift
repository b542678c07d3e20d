public import FerryProtocols

/// The reason why the queue cannot be read or saved. Paths are for display; codes are those of `errno(3)`.
public enum JournalError: Error, Hashable, Sendable {
    /// The state folder cannot be created or opened.
    case folderCannotBeMade(path: String, code: Int32)
    /// The system denies access. `mode` is the permission bits of the existing file; nil if they are unknown.
    case notAllowed(path: String, mode: UInt32?, code: Int32)
    /// The file or folder is unsafe to use, for example because it belongs to another user.
    case unsafe(path: String, mode: UInt32, Danger)
    /// Another process has locked the queue. The lock file has the values; `host` is nil for this machine.
    case inUse(pid: Int32?, since: Date?, host: String?)
    /// The file system cannot lock files.
    case locksNotSupported(path: String)
    /// The file is damaged or missing, or does not fit the other files. `byte` is 0 if the damage has no position.
    case damaged(path: String, byte: Int, reason: String)
    /// The snapshot is complete and valid, but its checksum does not match: it was edited after Ferry had written it.
    case edited(path: String)
    /// The snapshot is older than other files in its folder, for example a restored copy. `newest` is the highest
    /// running number of a file. `hasNewer` is true if the folder also contains a newer snapshot.
    case olderCopy(path: String, generation: Int, newest: Int, hasNewer: Bool)
    /// A newer version of Ferry wrote the file. This one cannot read all of it, because `needs` is unknown.
    case newerFormat(path: String, needs: String)
    /// The disk is full, or the user's quota is used up. Changes can be stored again once space is free.
    case diskFull(path: String, isQuota: Bool)
    case failed(call: String, path: String, code: Int32)
    case recordTooLarge(Upload.ID)
    /// The journal is not loaded yet, or already closed.
    case notOpen

    /// A property that makes a state folder, or a file in it, unsafe to use.
    public typealias Danger = FileDanger
}

extension JournalError {
    /// The error in one sentence without a final period.
    public var summary: String {
        switch self {
        case .folderCannotBeMade(let path, let code):
            "the state folder \(path) cannot be created: \(Self.text(code))"
        case .notAllowed(let path, let mode, let code):
            "\(path) cannot be used: \(Self.text(code))" + (mode.map { " (mode \(Self.octal($0)))" } ?? "")
        case .unsafe(let path, let mode, let danger): "\(path) (mode \(Self.octal(mode))) \(danger.text)"
        case .inUse(let pid, let since, let host):
            "the queue is in use" + (pid.map { " by process \($0)" } ?? "") + (host.map { " on \($0)" } ?? "")
                + (since.map { " since \($0.shortMoment)" } ?? "")
        case .locksNotSupported(let path): "the file system of \(path) cannot lock files (ENOLCK)"
        case .damaged(let path, let byte, let reason): "\(path) is damaged at byte \(byte): \(reason)"
        case .edited(let path): "\(path) was edited outside: its checksum does not fit"
        case .olderCopy(let path, let generation, let newest, _):
            "\(path) is an older copy: generation \(generation), beside files of generation \(newest)"
        case .newerFormat(let path, let needs): "\(path) was written by a newer version (\(needs))"
        case .diskFull(let path, let isQuota):
            Self.full(isQuota) + ": the queue in \(path) was not saved"
        case .failed(let call, let path, let code): "\(path): \(call) failed: \(Self.text(code))"
        case .recordTooLarge(let id): "upload \(id) is too large to be written down"
        case .notOpen: "the queue's files are not open"
        }
    }

    var isDiskFull: Bool {
        if case .diskFull = self { true } else { false }
    }

    var isOfDisk: Bool {
        switch self {
        case .recordTooLarge, .notOpen: false
        default: true
        }
    }

    /// Returns a sentence for users: why changes are not saved, and that only the `count` running uploads go on.
    func unsavedSummary(running count: Int) -> String {
        let going =
            switch count {
            case 0: "no new uploads start"
            case 1: "1 upload keeps running, no new ones start"
            default: "\(count) uploads keep running, no new ones start"
            }
        return switch self {
        case .diskFull(let path, let isQuota):
            "\(Self.full(isQuota)): the queue in \(path) is not saved; \(going)"
        default: "held: state cannot be saved (\(cause)); \(going)"
        }
    }

    /// A sentence for users: no new snapshot can be written, but the journal still stores all changes.
    var behindSummary: String {
        switch self {
        case .diskFull(let path, let isQuota):
            "\(Self.full(isQuota)): no new snapshot of the queue in \(path); its journal has everything, and grows"
        default: "no new snapshot of the queue (\(cause)); its journal has everything, and grows"
        }
    }

    /// The system's error with the path, such as `EIO: fsync of /…`; for other errors `summary`.
    private var cause: String {
        switch self {
        case .failed(let call, let path, let code): "\(Self.name(code)): \(call) of \(path)"
        case .notAllowed(let path, _, let code): "\(Self.name(code)): \(path)"
        default: summary
        }
    }

    private static func full(_ isQuota: Bool) -> String { isQuota ? "quota used up" : "disk full" }

    private static func name(_ code: Int32) -> String {
        switch Errno(rawValue: code) {
        case .ioError: "EIO"
        case .readOnlyFileSystem: "EROFS"
        case .permissionDenied: "EACCES"
        case .notPermitted: "EPERM"
        case .tooManyOpenFiles: "EMFILE"
        case .tooManyOpenFilesInSystem: "ENFILE"
        case .operationNotSupportedByDevice: "ENODEV"
        case .staleNFSFileHandle: "ESTALE"
        default: text(code)
        }
    }

    /// The advice to the user; nil if there is none. It names no command of Ferry, so any program can show it.
    public var hint: String? {
        switch self {
        case .folderCannotBeMade: "use another folder"
        case .notAllowed: "make it readable and writable for you, or use another folder"
        case .unsafe(let path, _, let danger): danger.hint(path)
        case .inUse: "use that one, or stop it"
        case .locksNotSupported: "use a folder on a local disk"
        case .damaged(let path, let byte, _):
            path.hasSuffix(".jsonl")
                ? "nothing was changed; to continue without what follows, keep a copy, then `truncate -s \(byte) \(ShellWord.quoted(path))`"
                : "nothing was changed; correct it and accept the edited file once, or put back a copy"
        case .edited: "nothing was changed; accept the edited file once, or discard it once"
        case .olderCopy(_, _, _, hasNewer: true):
            "nothing was changed; discard the copy once to continue with the newer queue; to use the copy itself, put it "
                + "alone into an empty folder and use that"
        case .olderCopy(_, _, _, hasNewer: false):
            "nothing was changed; put the newer queue.json back; to use the copy itself, put it alone into an empty "
                + "folder and use that"
        case .newerFormat: "nothing was changed; use that version"
        case .diskFull(_, let isQuota):
            "free some space\(isQuota ? " or have the quota raised" : ""), then repeat what was refused; "
                + "saving resumes by itself"
        case .failed: "check the disk, then start again"
        case .recordTooLarge: "shorten its fields"
        case .notOpen: nil
        }
    }

    /// The exit status after this error, as in `sysexits.h`: `EX_TEMPFAIL`, `EX_NOPERM` or `EX_CANTCREAT`.
    public var exitStatus: Int32 {
        switch self {
        case .inUse: 75
        case .notAllowed, .unsafe: 77
        default: 73
        }
    }

    /// The error as an `UploadFailure` of the category `storage`, with the same summary and hint.
    public var failure: UploadFailure { UploadFailure(.storage, summary, hint: hint) }

    private static func text(_ code: Int32) -> String { Errno(rawValue: code).description }

    private static func octal(_ mode: UInt32) -> String { "0" + String(mode & 0o7777, radix: 8) }
}

extension JournalError.Danger {
    fileprivate var text: String {
        switch self {
        case .notADirectory: "is not a folder"
        case .notARegularFile: "is not a regular file"
        case .symbolicLink: "is a symbolic link"
        case .otherNames(let count): "has \(count) names (hard links)"
        case .owner(let user): "belongs to user \(user)"
        case .openToOthers: "is open to other users"
        case .parentOfAnotherUser(let user): "belongs to user \(user) and is above the state folder"
        case .parentOpenToOthers: "may be changed by other users and is above the state folder"
        }
    }

    fileprivate func hint(_ path: String) -> String {
        switch self {
        case .openToOthers: "`chmod go-rwx \(ShellWord.quoted(path))`, after a look at what is in it"
        case .parentOpenToOthers: "`chmod go-w \(ShellWord.quoted(path))`, or use another folder"
        case .notADirectory, .parentOfAnotherUser: "use another folder"
        case .notARegularFile, .symbolicLink, .otherNames, .owner: "move it away, after a look at what it is"
        }
    }
}

extension JournalError {
    init(_ error: SystemCallError, in folder: String) {
        let path = error.name.isEmpty ? folder : folder + "/" + error.name
        if let danger = error.danger {
            self = .unsafe(path: path, mode: error.mode, danger)
            return
        }
        switch error.code {
        case .noSpace: self = .diskFull(path: folder, isQuota: false)
        case .diskQuotaExceeded: self = .diskFull(path: folder, isQuota: true)
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            self = .notAllowed(path: path, mode: nil, code: error.code.rawValue)
        default: self = .failed(call: error.call, path: path, code: error.code.rawValue)
        }
    }
}
