import FerryTransfer

/// Recognizes private keys of OpenSSH, OpenSSL, PuTTY and GnuPG by the names and contents of their files.
enum PrivateKey {
    /// The names that ssh-keygen(1) gives to private keys.
    private static let names: Set<String> = [
        "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
    ]
    /// The endings of names of files with private keys or certificates, whose content is searched for `marks`.
    private static let endings = [".pem", ".key", ".ppk"]
    /// The texts that show a private key: the end of the first line in a PEM file (RFC 7468 §10 and §11, and older
    /// forms such as `RSA PRIVATE KEY`), and the marks of PuTTY and GnuPG.
    private static let marks = ["PRIVATE KEY-----", "PuTTY-User-Key-File-", "private-key(", "private-key ("]
    /// The number of bytes that are searched for `marks`. Comments and certificates can precede the key.
    private static let readAtMost = 64 << 10

    /// Returns whether the file at `path` is a private key, by its name, or by its content if it has one of `endings`.
    /// A file that cannot be read counts as no key, because it cannot be uploaded either.
    static func isAt(_ path: LocalPath) -> Bool {
        let name = path.name.lowercased()
        if names.contains(name) { return true }
        guard endings.contains(where: name.hasSuffix) else { return false }
        let head = (try? OpenFile(path, for: .reading).content(upTo: readAtMost)) ?? []
        return marks.contains { head.firstRange(of: $0.utf8) != nil }
    }
}
