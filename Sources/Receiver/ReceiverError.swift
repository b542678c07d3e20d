public import FerryFiles

/// The reason why a receiver cannot run, in words for users.
public enum ReceiverError: LocalizedError, Hashable, Sendable {
    case tokenNeeded(host: String)
    /// The token is so short that it can be guessed. `minimum` is the smallest number of bytes that a token can have in
    /// UTF-8.
    case tokenTooShort(minimum: Int)
    case directory(String, reason: String)
    /// The folder for unfinished uploads belongs to another user, or other users can access it. The values are the
    /// folder's path and the reason.
    case workFolder(String, reason: String)
    /// A certificate, a key or a token file cannot be used. The values are the path of the file and the reason.
    case file(String, reason: String)
    case directoryInUse(String)
    case portInUse(host: String, port: Int)
    case cannotListen(host: String, port: Int, reason: String)

    /// The error as a sentence.
    public var errorDescription: String? {
        switch self {
        case .tokenNeeded(let host): "Anyone who can reach \(host) could store files: it needs a token."
        case .tokenTooShort(let minimum): "The token has fewer than \(minimum) bytes."
        case .workFolder(let path, let reason): "Cannot keep unfinished uploads in \(path): \(reason)."
        case .file(let path, let reason): "Cannot use \(path): \(reason)."
        case .directory(let path, let reason): "Cannot receive into \(path): \(reason)."
        case .directoryInUse(let path): "Another receiver is using \(path)."
        case .portInUse(let host, let port): "Port \(port) on \(host) is in use."
        case .cannotListen(let host, let port, let reason):
            "Cannot listen on \(host), port \(port): \(reason)."
        }
    }

    /// A step that the user can take, as a sentence; nil if there is no advice.
    public var recoverySuggestion: String? {
        switch self {
        case .tokenNeeded: "Set a token, or listen on 127.0.0.1."
        case .tokenTooShort: "`openssl rand -hex 16` prints a good one."
        case .workFolder: "Remove it, or choose another folder."
        case .file: nil
        case .directory: "Choose a folder that you may write to, or one to be made in such a folder."
        case .directoryInUse: "Stop the other receiver, or choose another folder."
        case .portInUse: "Choose another port, or 0 for any free one."
        case .cannotListen: "Choose an address of this machine and a port from 1024 on."
        }
    }
}
