#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing

    /// Tests connections that die without FIN or RST during an upload.
    @Suite(
        .fewAtOnce, .timeLimit(.minutes(10)),
        .enabled("needs root and the right to make network namespaces", VirtualLink.isPossible),
        .enabled(if: Privilege.has("nft"), "needs nft"))
    struct DeadConnectionTests {
        @Test func `N4 a connection that dies without a word is given up before the stall time`() async throws
        {
            try await LinkedUpload.with { upload in
                try await upload.silenceConnections()
                let died = ContinuousClock.now
                try await Eventually.holds("a second attempt") {
                    try await upload.place.list().first.map { $0.attempts > 1 } ?? false
                }
                let noticed = ContinuousClock.now - died
                print("dead connection: noticed after \(noticed)")
                // The default stall time is 30 s. A quiet machine takes 2 s.
                #expect(noticed < .seconds(25))
                #expect(try await upload.finish().last?.attempts == 2)
                #expect(try upload.logged("died, new ones are accepted") > 0)
            }
        }

        @Test
        func `N9 a connection is replaced at once when its local address is gone, and that costs no try`()
            async throws
        {
            try await LinkedUpload.with { upload in
                // Without this setting, removing the first address also removes the second.
                try await upload.atClient("sysctl", "-q", "-w", "net.ipv4.conf.all.promote_secondaries=1")
                try await upload.atClient("ip", "address", "add", "10.98.0.3/24", "dev", "wire")
                let lost = ContinuousClock.now
                try await upload.atClient(
                    "ip", "address", "del", "\(VirtualLink.nearAddress)/24", "dev", "wire")
                try await Eventually.holds("a second attempt") {
                    try await upload.place.list().first.map { $0.attempts > 1 } ?? false
                }
                let noticed = ContinuousClock.now - lost
                print("lost address: next attempt after \(noticed)")
                // The default stall time is 30 s. A quiet machine takes 0.4 s.
                #expect(noticed < .seconds(20))
                let lines = try await upload.finish()
                #expect(!lines.contains { $0.state == "waiting" })
                #expect(lines.last?.attempts == 2)
                #expect(try upload.logged("lost the address") > 0)
            }
        }

        @Test func `N5 an engine that is stopped while its server hangs up resumes at the server's offset`()
            async throws
        {
            try await LinkedUpload.with { upload in
                upload.engine.signal(SIGSTOP)
                try await upload.atServer("ss", "-K", "sport", "=", ":8080")
                upload.engine.signal(SIGCONT)
                #expect(try await upload.finish().last?.attempts == 2)
                let sizes = try upload.place.exchangeSizes("PATCH")
                #expect(sizes.last.map { $0 < 15 << 20 } == true)
            }
        }

        @Test(.enabled(if: Privilege.has("python3"), "needs python3"))
        func `N11 a captive portal is named, and the upload resumes after it`()
            async throws
        {
            try await LinkedUpload.with { upload in
                let portal = try ChildProcess(
                    "/usr/bin/env",
                    (upload.link.far + ["python3", "-c", Self.portal]).map { Array($0.utf8) },
                    environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
                try await portal.output.wait { $0.contains("ready") }
                try await upload.atServer("nft", "add table ip portal")
                try await upload.atServer(
                    "nft", "add chain ip portal in { type nat hook prerouting priority -100 ; }")
                try await upload.atServer("nft", "add rule ip portal in tcp dport 8080 redirect to :8081")
                try await upload.atServer("ss", "-K", "sport", "=", ":8080")
                try await Eventually.holds("a sign-in page is named") {
                    try await upload.place.list().first?.error?.contains(
                        "a captive portal's sign-in page (login.hotel.example) answers in place of") ?? false
                }
                try await upload.atServer("nft", "delete table ip portal")
                #expect(try await upload.finish().last?.state == "done")
                portal.signal(SIGTERM)
                _ = try await portal.ending()
            }
        }

        /// The nftables rules that redirect every request to a sign-in page.
        private static let portal = """
            import http.server
            class Portal(http.server.BaseHTTPRequestHandler):
                def answer(self):
                    self.send_response(302)
                    self.send_header("Location", "http://login.hotel.example/")
                    self.send_header("Content-Length", "0")
                    self.send_header("Connection", "close")
                    self.end_headers()
                do_HEAD = do_PATCH = do_POST = do_OPTIONS = answer
                def log_message(self, *words): pass
            server = http.server.ThreadingHTTPServer(("", 8081), Portal)
            print("ready", flush=True)
            server.serve_forever()
            """
    }
#endif
