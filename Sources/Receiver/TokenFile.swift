import FerryFiles

/// The token that a receiver created.
public struct ReceiverToken: Hashable, Sendable {
    /// The token that clients send.
    public let text: String
    /// The path of the file with the token. Only its owner can read it.
    public let path: String
    /// True if this receiver created the token; false if it was read from the file of an earlier run.
    public let isNew: Bool
}

/// The file `token` in `.ferry`: the token that a receiver created, with a line break after it.
enum TokenFile {
    static let name = LocalPath("token")

    /// Reads the token from the file, or creates the file with a new token.
    /// - Throws: `ReceiverError.file` if the file cannot be read or written, or if its token is too short.
    static func token(in uploadStore: UploadStore, directory: String) throws(ReceiverError) -> ReceiverToken {
        let path = "\(directory)/\(SafeName.workFolder)/\(name.text)"
        let token: ReceiverToken
        do throws(SystemCallError) {
            if let text = try read(uploadStore.work) {
                token = ReceiverToken(text: text, path: path, isNew: false)
            } else {
                token = ReceiverToken(text: UploadID.make(), path: path, isNew: true)
                try uploadStore.work.replace(
                    name, with: Array("\(token.text)\n".utf8), draft: LocalPath("\(name.text).draft"))
            }
        } catch {
            throw .file(path, reason: error.reason)
        }
        guard token.text.utf8.count >= Authorizer.shortestToken else {
            throw .file(path, reason: "it holds no token of \(Authorizer.shortestToken) bytes or more")
        }
        return token
    }

    private static func read(_ folder: Directory) throws(SystemCallError) -> String? {
        do throws(SystemCallError) {
            let bytes = try folder.open(name, for: .reading).content(upTo: 4096)
            return String(decoding: bytes, as: UTF8.self).trimmedOfLines()
        } catch {
            if error.code == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }
}
