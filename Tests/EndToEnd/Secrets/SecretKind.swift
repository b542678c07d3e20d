import FerryTestSupport
import Foundation
import Testing

/// A kind of secret, and the destination that sends it.
struct SecretKind: Sendable, CustomTestStringConvertible {
    var name: String
    var protocolName = "put"
    var path = "/box/"
    /// The members of the destination after the URL and the protocol. `SERVER` stands for the server's URL, `PROXY` for
    /// its URL with a user, and `SECRETS` for the folder of `files`.
    var members = ""
    /// The secrets, none of which may be shown in any form.
    var secrets: [String]
    /// The secrets that are in no request to the server of the uploads, or in no later one.
    var hidden: Set<String> = []
    /// True for a form parameter. The user put it into the queue, so the queue's files contain it.
    var isParameter = false
    /// True if the secret is cut from texts only. Ferry cannot know that a header field of an unusual name has a
    /// secret, and its value can be an ordinary part of an address or an entity tag.
    var isCutFromTextsOnly = false
    /// True if the server demands Digest.
    var isDigest = false
    /// The files with the secret, by name. `SECRETS` stands for their folder.
    var files: [String: String] = [:]
    /// Further variables of Ferry's environment.
    var environment: [String: String] = [:]

    var testDescription: String { name }
    var usesProxy: Bool { members.contains("PROXY") }

    /// Returns the destination's address at a server. Where the server is the proxy, the address has another host.
    func url(at server: HostileServer) -> String {
        (usesProxy ? "http://upload.example" : server.url("")) + path
    }

    /// Returns the destination's members, with the URLs and paths of this test.
    func members(server: HostileServer, in place: Workplace) -> String {
        members.replacing("SERVER", with: server.url(""))
            .replacing("PROXY", with: "http://me@127.0.0.1:\(server.port)")
            .replacing("SECRETS", with: place.directory.path("secrets"))
    }

    /// Configures the destination `here` at a server, and a hook for all ends of an upload.
    func configure(_ place: Workplace, server: HostileServer, hook: String) throws {
        try place.configure(
            """
            { "destinations": { "here": {
                "url": "\(url(at: server))", "protocol": "\(protocolName)"\(members(server: server, in: place)) } },
              "retry": { "base": 0.01, "cap": 0.02, "serverTries": 2 },
              "hooks": { "done": \(hook), "failed": \(hook), "held": \(hook) } }
            """)
    }

    /// Returns a home with the files and the environment that the kind needs.
    func prepared(_ place: Workplace) throws -> Workplace {
        var place = place
        let folder = place.directory.path("secrets")
        for (name, text) in files {
            let path = try place.directory.write(
                Array(text.replacing("SECRETS", with: folder).utf8), to: "secrets/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        for (name, value) in environment {
            place.environment[name] = value.replacing("SECRETS", with: folder)
        }
        return place
    }
}
