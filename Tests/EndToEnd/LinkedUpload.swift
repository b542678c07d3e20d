#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing

    /// The upload of a file of 16 MiB at 4 MiB/s over a virtual link to a receiver.
    struct LinkedUpload {
        static let limits = #"{ "bandwidth": "4M" }"#

        let place: Workplace
        let link: VirtualLink
        let server: ChildProcess
        let engine: ChildProcess
        private let inbox: String

        /// Starts the upload, passes it to `body` when the receiver has a mebibyte of it, and ends everything
        /// afterwards.
        static func with(
            _ protocolName: String = "tus", at path: String = "/files/",
            _ body: (LinkedUpload) async throws -> Void
        ) async throws {
            let place = try Workplace()
            try place.file("large.bin", "")
            _ = try PatternFile(at: place.path("large.bin"), count: 16 << 20, seed: 5)
            let inbox = try place.folder("inbox")
            let token = try place.directory.write(Array("a-long-random-line\n".utf8), to: "token")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
            try place.configure(
                protocolName, at: "http://\(VirtualLink.farAddress):8080\(path)",
                more: #", "auth": { "bearer": { "file": "\#(token)" } }"#, limits: limits)
            try await VirtualLink.with { link in
                let server = try place.start(
                    through: link.far,
                    [
                        "serve", "--directory", inbox, "--bind", "\(VirtualLink.farAddress):8080",
                        "--token-file", token,
                    ])
                try await server.output.wait { $0.contains { $0.hasPrefix("receiving into ") } }
                try await place.ferry("add", place.path("large.bin"))
                let engine = try place.start(through: link.near, ["run", "--json", "--exit-when-idle"])
                let upload = LinkedUpload(
                    place: place, link: link, server: server, engine: engine, inbox: inbox)
                try await Eventually.holds("a mebibyte at the server") { upload.bytesThere > 1 << 20 }
                try await body(upload)
                server.signal(SIGTERM)
                #expect(try await server.ending() == .exited(0))
            }
        }

        /// The number of bytes of unfinished uploads at the receiver.
        var bytesThere: Int {
            let folder = inbox + "/.ferry"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.reduce(0) { sum, name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                return sum + (attributes?[.size] as? Int ?? 0)
            }
        }

        /// Waits for the end of the upload.
        ///
        /// - Returns: The states that the engine reported, in order. The last one is done.
        func finish() async throws -> [UploadLine] {
            #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
            let lines = try UploadLine.all(in: engine.output.lines).filter { $0.event == "state" }
            #expect(lines.last?.state == "done")
            #expect(await ChildProcess.succeeds("cmp", place.path("large.bin"), inbox + "/large.bin"))
            return lines
        }

        /// Drops all further packets of the existing connections, without notifying either side.
        func silenceConnections() async throws {
            let list = try await Self.output(of: link.near + ["ss", "-Htn", "state", "established"])
            // The columns are the received bytes not yet read, the sent bytes not yet acknowledged, our address and
            // theirs.
            let ports = list.split(separator: "\n").compactMap {
                $0.split(separator: " ").dropFirst(2).first?.split(separator: ":").last
            }
            try #require(!ports.isEmpty)
            try await atServer("nft", "add table inet silent")
            try await atServer(
                "nft", "add chain inet silent in { type filter hook input priority 0 ; }")
            try await atServer(
                "nft", "add rule inet silent in tcp sport { \(ports.joined(separator: ", ")) } drop")
        }

        /// Runs a command at the receiver's end of the link.
        func atServer(_ words: String...) async throws { _ = try await Self.output(of: link.far + words) }

        /// Runs a command at the sender's end of the link.
        func atClient(_ words: String...) async throws { _ = try await Self.output(of: link.near + words) }

        private static func output(of words: [String]) async throws -> String {
            let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            let process = try ChildProcess(
                "/usr/bin/env", words.map { Array($0.utf8) }, environment: environment)
            guard try await process.ending() == .exited(0) else {
                throw VirtualLink.Failure(words: words + [process.errors.text])
            }
            return process.output.text
        }

        /// Returns how often the log contains a text.
        func logged(_ text: String) throws -> Int {
            try String(contentsOfFile: place.state + "/ferry.log", encoding: .utf8).ranges(of: text).count
        }
    }
#endif
