#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing

    /// Tests a link that goes down during an upload and comes back.
    @Suite(.fewAtOnce, .timeLimit(.minutes(10)))
    struct LinkLossTests {
        private let place: Workplace

        init() throws { place = try Workplace() }

        @Test(.enabled("needs root and the right to make network namespaces", VirtualLink.isPossible))
        func `N8 a lost link pauses within a second, costs no try, and the upload resumes when it is back`()
            async throws
        {
            try place.file("large.bin", "")
            _ = try PatternFile(at: place.path("large.bin"), count: 32 << 20, seed: 3)
            let inbox = place.directory.path("inbox")
            let token = try place.directory.write(Array("a-long-random-line\n".utf8), to: "token")
            try FileManager.default.createDirectory(atPath: inbox, withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
            try place.configure(
                "tus", at: "http://\(VirtualLink.farAddress):8080/files/",
                more: #", "auth": { "bearer": { "file": "\#(token)" } }"#, limits: #"{ "bandwidth": "8M" }"#)
            try await VirtualLink.with { link in
                let bind = "\(VirtualLink.farAddress):8080"
                let server = try place.start(
                    through: link.far, ["serve", "--directory", inbox, "--bind", bind, "--token-file", token])
                try await server.output.wait { $0.contains { $0.hasPrefix("receiving into ") } }
                try await place.ferry("add", place.path("large.bin"))
                let engine = try place.start(through: link.near, ["run", "--json", "--exit-when-idle"])
                try await server.output.wait { $0.contains { $0.hasPrefix("begun") } }
                try await Eventually.holds("two mebibytes at the server") {
                    Self.partSize(in: inbox) > 2 << 20
                }

                let before = try await place.list()
                #expect(before.map(\.state) == ["running"])
                let lost = ContinuousClock.now
                try await link.set("down")
                try await engine.output.wait { $0.contains { EventLine.name(of: $0) == "offline" } }
                let noticed = ContinuousClock.now - lost
                // The default stall time is 30 s.
                #expect(noticed < .seconds(20))
                #expect(try await place.list().map(\.state) == ["paused"])
                let back = ContinuousClock.now
                try await link.set("up")
                try await engine.output.wait { $0.contains { EventLine.name(of: $0) == "online" } }
                let resumed = ContinuousClock.now - back

                #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
                let lines = try UploadLine.all(in: engine.output.lines).filter { $0.event == "state" }
                #expect(!lines.contains { $0.state == "waiting" }, "\(engine.output.text)")
                let done = try #require(lines.last)
                #expect(done.state == "done")
                // One attempt before the loss and one after it.
                #expect(done.attempts == 2)
                let sizes = try place.exchangeSizes("PATCH")
                #expect(sizes.count == 2)
                #expect(sizes.last.map { $0 < 30 << 20 } == true)
                let stored = inbox + "/large.bin"
                #expect(await ChildProcess.succeeds("cmp", place.path("large.bin"), stored))
                print(
                    "link down: reported after \(noticed); link up: reported after \(resumed); sent again: \(done.resent)"
                )
                server.signal(SIGTERM)
                #expect(try await server.ending() == .exited(0))
            }
        }

        @Test(.enabled("needs root and the right to make network namespaces", VirtualLink.isPossible))
        func `N8 a put keeps its connection while the link is away, and is sent once`() async throws {
            try await LinkedUpload.with("put", at: "/") { upload in
                try await upload.link.set("down")
                try await upload.engine.output.wait { $0.contains { EventLine.name(of: $0) == "offline" } }
                #expect(try await upload.place.list().map(\.state) == ["running"])
                try await upload.link.set("up")
                let done = try #require(try await upload.finish().last)
                #expect(done.attempts == 1)
                #expect(done.resent == 0)
                #expect(try upload.place.exchangeSizes("PUT") == [16 << 20])
            }
        }

        /// Returns the number of bytes of unfinished uploads.
        private static func partSize(in inbox: String) -> Int {
            let folder = inbox + "/.ferry"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.reduce(0) { sum, name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                return sum + (attributes?[.size] as? Int ?? 0)
            }
        }
    }

    /// Two network namespaces with a link between them. The test makes and removes them.
    struct VirtualLink: Sendable {
        struct Failure: Error {
            var words: [String]
        }

        static let nearAddress = "10.98.0.1"
        static let farAddress = "10.98.0.2"

        private let nearName: String
        private let farName: String

        /// The words to put before a command so that it runs at the near end.
        var near: [String] { ["ip", "netns", "exec", nearName] }
        var far: [String] { ["ip", "netns", "exec", farName] }

        @Sendable static func isPossible() async -> Bool {
            guard Privilege.isRoot, Privilege.has("ip") else { return false }
            return (try? await with { _ in }) != nil
        }

        static func with(_ body: (VirtualLink) async throws -> Void) async throws {
            let id = UUID().uuidString.prefix(8).lowercased()
            let link = VirtualLink(nearName: "ferry-near-\(id)", farName: "ferry-far-\(id)")
            do {
                try await link.make()
                try await body(link)
            } catch {
                await link.remove()
                throw error
            }
            await link.remove()
        }

        /// Sets the near end of the link `up` or `down`.
        func set(_ state: String) async throws {
            try await Self.ip("-n", nearName, "link", "set", "wire", state)
        }

        private func make() async throws {
            for name in [nearName, farName] { try await Self.ip("netns", "add", name) }
            try await Self.ip(
                "-n", nearName, "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns",
                farName)
            for (name, address) in [(nearName, Self.nearAddress), (farName, Self.farAddress)] {
                try await Self.ip("-n", name, "address", "add", "\(address)/24", "dev", "wire")
                for device in ["lo", "wire"] { try await Self.ip("-n", name, "link", "set", device, "up") }
            }
        }

        private func remove() async {
            for name in [nearName, farName] { try? await Self.ip("netns", "del", name) }
        }

        private static func ip(_ words: String...) async throws {
            let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            let process = try ChildProcess(
                "/usr/bin/env", (["ip"] + words).map { Array($0.utf8) }, environment: environment)
            guard try await process.ending() == .exited(0) else { throw Failure(words: words) }
        }
    }
#endif
