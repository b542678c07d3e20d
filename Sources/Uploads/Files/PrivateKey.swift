import FerryTransfer

/// Recognizes files with private keys by the names and contents that OpenSSH, OpenSSL, PuTTY and GnuPG give them.
enum PrivateKey {
    /// The names that ssh-keygen(1) gives to private keys. Any file with such a name counts as a private key.
    private static let names: Set<String> = [
        "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
    ]
    /// The name endings of private keys. Certificates can have them too, so the content is searched for `marks`.
    private static let endings = [".pem", ".key", ".ppk"]
    /// The texts that occur only in private keys. The first is the end of the first line of a PEM file (RFC 7468 §10
    /// and §11, and older forms such as `RSA PRIVATE KEY`). The second is from PuTTY. The last two are from GnuPG's
    /// `private-keys-v1.d`.
    private static let marks = ["PRIVATE KEY-----", "PuTTY-User-Key-File-", "private-key(", "private-key ("]
    /// The maximum number of bytes to read. It leaves room for comments and certificates, which can precede the key in
    /// a PEM file.
    private static let readAtMost = 64 << 10

    /// Returns whether the file at `path` is a private key. If its name alone does not decide, the content is read. An
    /// unreadable file then counts as no key, because it cannot be uploaded either.
    static func isAt(_ path: LocalPath) -> Bool {
        let name = path.name.lowercased()
        if names.contains(name) { return true }
        guard endings.contains(where: name.hasSuffix) else { return false }
        let head = head(of: path)
        return marks.contains { mark in holds(head, Array(mark.utf8)) }
    }

    private static func head(of path: LocalPath) -> [UInt8] {
        (try? OpenFile(path, for: .reading).content(upTo: readAtMost)) ?? []
    }

    private static func holds(_ bytes: [UInt8], _ mark: [UInt8]) -> Bool {
        guard bytes.count >= mark.count else { return false }
        return bytes.indices.dropLast(mark.count - 1).contains { start in
            bytes[start] == mark[0] && bytes[start..<start + mark.count].elementsEqual(mark)
        }
    }
}
