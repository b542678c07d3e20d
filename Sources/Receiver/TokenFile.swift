import FerryFiles
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The token that a receiver created.
public struct ReceiverToken: Hashable, Sendable {
    /// The token that clients send.
    public let text: String
    /// The file of the token, readable by this user alone.
    public let path: String
    /// True if this start created it; false if an earlier one did.
    public let isNew: Bool
}

/// The file `token` in `.ferry`: the token that a receiver created, with a line break after it.
enum TokenFile {
    static let name = "token"

    /// Reads the token, or creates one of 128 random bits.
    ///
    /// - Throws: `ReceiverError.file`.
    static func token(in uploadStore: UploadStore, directory: String) throws(ReceiverError) -> ReceiverToken {
        let path = "\(directory)/\(SafeName.workFolder)/\(name)"
        let token: ReceiverToken
        do throws(SystemCallError) {
            if let text = try read(uploadStore.work) {
                token = ReceiverToken(text: text, path: path, isNew: false)
            } else {
                token = ReceiverToken(text: UploadID.make(), path: path, isNew: true)
                try write(token.text, in: uploadStore.work)
            }
        } catch {
            throw .file(path, reason: error.reason)
        }
        guard token.text.utf8.count >= Access.shortestToken else {
            throw .file(path, reason: "it holds no token of \(Access.shortestToken) characters or more")
        }
        return token
    }

    private static func read(_ folder: Folder) throws(SystemCallError) -> String? {
        do throws(SystemCallError) {
            let bytes = try folder.file(name, flags: O_RDONLY).read(upTo: 4096, at: 0)
            return String(buffer: bytes).trimmedOfLines()
        } catch {
            if error.code == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    private static func write(_ token: String, in folder: Folder) throws(SystemCallError) {
        let draft = "\(name).draft"
        let file = try folder.file(draft, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.write([ByteBuffer(string: token + "\n")], at: 0)
        try file.sync()
        try folder.rename(draft, to: folder, as: name)
        try folder.sync()
    }
}
