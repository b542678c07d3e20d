public import Foundation

/// Why a receiver cannot run, in the words a person reads.
public enum ReceiverError: LocalizedError, Hashable, Sendable {
    case tokenNeeded(host: String)
    case directory(String, reason: String)
    case directoryInUse(String)
    case portInUse(host: String, port: Int)
    case cannotListen(host: String, port: Int, reason: String)

    /// What is wrong, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .tokenNeeded(let host): "Anyone who can reach \(host) could store files: it needs a token."
        case .directory(let path, let reason): "Cannot receive into \(path): \(reason)."
        case .directoryInUse(let path): "Another receiver is using \(path)."
        case .portInUse(let host, let port): "Port \(port) on \(host) is in use."
        case .cannotListen(let host, let port, let reason):
            "Cannot listen on \(host), port \(port): \(reason)."
        }
    }

    /// What to do about it, as a sentence.
    public var recoverySuggestion: String? {
        switch self {
        case .tokenNeeded: "Set a token, or listen on 127.0.0.1."
        case .directory: "Choose an existing folder that you may write to."
        case .directoryInUse: "Stop the other receiver, or choose another folder."
        case .portInUse: "Choose another port, or 0 for any free one."
        case .cannotListen: "Choose an address of this machine and a port from 1024 on."
        }
    }
}
