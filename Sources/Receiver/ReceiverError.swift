public import FerryFiles

/// The reason why a receiver cannot run, in words for users.
public enum ReceiverError: LocalizedError, Hashable, Sendable {
    case tokenNeeded(host: String)
    /// The token is so short that it can be guessed. `minimum` is in bytes of UTF-8.
    case tokenTooShort(minimum: Int)
    case directory(String, reason: String)
    /// The folder for unfinished uploads at this path belongs to another user, or other users can access it.
    case workFolder(String, reason: String)
    /// The certificate, key or token file at this path cannot be used.
    case file(String, reason: String)
    case directoryInUse(String)
    case portInUse(host: String, port: Int)
    case cannotListen(host: String, port: Int, reason: String)

    /// The error in words, in lower case and without a full stop like all messages of Ferry.
    public var errorDescription: String? {
        switch self {
        case .tokenNeeded(let host): "no token is set: anyone who can reach \(host) could store files"
        case .tokenTooShort(let minimum): "the token has fewer than \(minimum) bytes"
        case .workFolder(let path, let reason): "cannot keep unfinished uploads in \(path): \(reason)"
        case .file(let path, let reason): "cannot use \(path): \(reason)"
        case .directory(let path, let reason): "cannot receive into \(path): \(reason)"
        case .directoryInUse(let path): "another receiver is using \(path)"
        case .portInUse(let host, let port): "port \(port) on \(host) is in use"
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host), port \(port): \(reason)"
        }
    }

    /// A step that the user can take, in the same form; nil if there is no advice.
    public var recoverySuggestion: String? {
        switch self {
        case .tokenNeeded: "set a token, or listen on 127.0.0.1"
        case .tokenTooShort: "`openssl rand -hex 16` prints a good one"
        case .workFolder: "remove it, or choose another folder"
        case .file: nil
        case .directory: "choose a folder that you may write to, or a new one in such a folder"
        case .directoryInUse: "stop the other receiver, or choose another folder"
        case .portInUse: "choose another port, or 0 for any free one"
        case .cannotListen: "choose an address of this machine and a port from 1024 on"
        }
    }
}
