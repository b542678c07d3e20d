import FerryTransfer

/// Knows the files that hold a private key, as OpenSSH, OpenSSL, PuTTY and GnuPG name and write them.
enum PrivateKey {
    /// The names that ssh-keygen(1) gives, whatever the files hold.
    private static let names: Set<String> = [
        "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
    ]
    /// Certificates and public keys have these endings too.
    private static let endings = [".pem", ".key", ".ppk"]
    /// RFC 7468 §10 and §11 and its older forms (`RSA PRIVATE KEY`), PuTTY's, and the two of GnuPG's `private-keys-v1.d`.
    private static let marks = ["PRIVATE KEY-----", "PuTTY-User-Key-File-", "private-key(", "private-key ("]
    /// A PEM file may have comments and certificates before its key.
    private static let readAtMost = 64 << 10

    /// Whether the file at `path` is one. A file that cannot be read is none: it cannot be uploaded either.
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
