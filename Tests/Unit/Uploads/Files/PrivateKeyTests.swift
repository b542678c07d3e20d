import FerryTestSupport
import FerryTransfer
import Testing

@testable import FerryUploads

/// Tests adding a folder that contains private keys.
struct PrivateKeyTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ text: String, to name: String) throws {
        _ = try folder.write(Array(text.utf8), to: name)
    }

    private func find(_ name: String, includesKeys: Bool = false) -> FileSelection {
        FileSearch(isRecursive: true, includesKeys: includesKeys).find([LocalPath(folder.path(name))])
    }

    private static let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"

    @Test(arguments: [
        ("id_rsa", "x"), ("id_ed25519", ""), ("id_ecdsa_sk", "x"), ("server.pem", pem),
        ("bundle.PEM", String(repeating: "-----BEGIN CERTIFICATE-----\nMII\n", count: 100) + pem),
        ("tls.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"),
        ("putty.ppk", "PuTTY-User-Key-File-3: ssh-ed25519\n"),
        ("40AF.key", "Key: (protected-private-key (rsa (n #00"),
        ("old.key", "(21:protected-private-key(3:rsa"),
    ])
    func `a key in a folder is left out and named`(name: String, content: String) throws {
        try write(content, to: "home/\(name)")
        try write("x", to: "home/a.txt")
        let found = find("home")
        #expect(found.files.map(\.relativeName) == ["home/a.txt"])
        #expect(found.problems.map(\.path.name) == [name])
        #expect(found.problems.first?.reason == "is a private key; name it to add it")
    }

    @Test(arguments: [
        ("id_rsa.pub", "ssh-rsa AAAA"), ("ca.pem", "-----BEGIN CERTIFICATE-----\n"),
        ("piano.key", "C sharp minor"), ("talk.txt", pem), ("empty.pem", ""),
    ])
    func `a file that is no private key is added`(name: String, content: String) throws {
        try write(content, to: "home/\(name)")
        #expect(find("home").files.map(\.path.name) == [name])
    }

    @Test(arguments: [(64 << 10, true), (64 << 10 + 1, false)])
    func `a key is looked for in the first 64 KiB of a file`(end: Int, isFound: Bool) throws {
        let mark = "\n-----BEGIN PRIVATE KEY-----"
        try write(String(repeating: "x", count: end - mark.utf8.count) + mark, to: "home/server.pem")
        #expect(find("home").files.isEmpty == isFound)
    }

    @Test func `a key is added when it is named, or all are asked for`() throws {
        try write(Self.pem, to: "home/server.pem")
        #expect(find("home/server.pem").files.count == 1)
        #expect(find("home", includesKeys: true).files.count == 1)
    }

    @Test func `a key below a pattern for everything is left out`() throws {
        try write(Self.pem, to: "home/server.pem")
        try write("x", to: "home/a.txt")
        #expect(find("home/**").files.map(\.path.name) == ["a.txt"])
    }
}
