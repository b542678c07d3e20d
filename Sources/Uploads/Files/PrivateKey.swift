import FerryTransfer

/// The files that contain a private key, as OpenSSH, OpenSSL, PuTTY and GnuPG name and write them.
enum PrivateKey {
    /// The names that ssh-keygen(1) uses, whatever the files contain.
    private static let names: Set<String> = [
        "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
    ]
    /// The endings of files to read for a key: certificates and public keys have them too.
    private static let endings = [".pem", ".key", ".ppk"]
    /// The first words of a private key: RFC 7468 §10 and §11 and its older forms (`RSA PRIVATE KEY`), PuTTY's, and the
    /// two of GnuPG's `private-keys-v1.d`.
    private static let marks = ["PRIVATE KEY-----", "PuTTY-User-Key-File-", "private-key(", "private-key ("]
    /// The maximum number of bytes to read: a PEM file may have comments and certificates before its key.
    private static let readAtMost = 64 << 10

    /// Returns whether the file at `path` is a private key. An unreadable file is none: it cannot be uploaded either.
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
