#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests a state folder whose disk is full, out of inodes or over its quota, while uploads run.
    @Suite(.fewAtOnce, .timeLimit(.minutes(10)))
    struct FullDiskTests {
        private let place: Workplace

        init() throws { place = try Workplace() }

        /// Makes files with long names, so that their record does not fit into the rest of a page.
        private func manyFiles() throws -> [String] {
            try (0..<40).map { try place.file("\($0)-" + String(repeating: "long name ", count: 20)) }
        }

        private func count(_ event: String, in lines: [String]) -> Int {
            lines.count { EventLine.name(of: $0) == event }
        }

        @Test(.enabled("needs root and the right to mount", StateDisk.isPossible))
        func `S8 on a full disk adds are refused, running uploads finish, and saving resumes with room`()
            async throws
        {
            try await StateDisk.with("size=6m") { disk in
                try await fillAndFree(disk, words: "disk full", code: ENOSPC)
            }
        }

        @Test(.enabled("needs root, loop devices and btrfs", StateDisk.hasQuota))
        func `S10 over a quota adds are refused, running uploads finish, and saving resumes with room`()
            async throws
        {
            try await StateDisk.with(quota: 24) { disk in
                try await fillAndFree(disk, words: "quota used up", code: EDQUOT)
            }
        }

        private func fillAndFree(_ disk: StateDisk, words: String, code: Int32) async throws {
            let place = place
            let many = try manyFiles()
            let gate = Gate()
            let server = try HostileServer(
                [.answer(201, when: gate), .answer(201, when: gate)]
                    + Array(repeating: .answer(201), count: 100))
            defer { server.stop() }
            try place.configure("put", at: server.url("/"), limits: #"{ "concurrency": 2 }"#)
            let options = ["--state", disk.state]
            let adding = try place.start(["add"] + options + [place.file("a"), place.file("b")])
            try #require(try await adding.ending() == .exited(0))
            let engine = try place.start(["run", "--json"] + options)
            try await server.wait { $0.count == 2 }

            #expect(try disk.fill() == code)
            let base = "\(words): the queue in \(disk.state) is not saved; "
            for _ in 0..<2 {
                let refused = try await Workplace.result(of: place.start(["add"] + options + many))
                #expect(refused.ending == .exited(73), "\(refused.output)")
                #expect(
                    refused.errors.hasPrefix(
                        "error: \(base)2 uploads keep running, no new ones start\nhint: "),
                    "\(refused.errors)")
            }
            gate.open()
            try await engine.output.wait { lines in
                lines.count { $0.contains(#""event":"state""#) && $0.contains(#""state":"done""#) } == 2
            }
            let later = try await Workplace.result(of: place.start(["add"] + options + many))
            #expect(later.ending == .exited(73))
            #expect(later.errors.hasPrefix("error: \(base)no new uploads start\n"), "\(later.errors)")

            try await disk.free()
            let freed = ContinuousClock.now
            let lines = try await engine.output.wait { $0.contains { EventLine.name(of: $0) == "saved" } }
            let took = ContinuousClock.now - freed
            #expect(count("notSaved", in: lines) == 1)
            #expect(count("saved", in: lines) == 1)
            #expect(disk.content("reserve")?.count == 1 << 20)
            let added = try await Workplace.result(of: place.start(["add"] + options + many))
            #expect(added.ending == .exited(0), "\(added.errors)")
            try await engine.output.wait { lines in
                lines.count { $0.contains(#""event":"state""#) && $0.contains(#""state":"done""#) } == 42
            }
            // After a kill only what is on disk counts.
            engine.signal(SIGKILL)
            #expect(try await engine.ending() == .killed(SIGKILL))
            let list = try await Workplace.result(of: place.start(["list", "--json"] + options))
            let uploads = try UploadLine.all(in: list.lines)
            #expect(uploads.count == 42)
            #expect(Set(uploads.map(\.path)).count == 42)
            #expect(uploads.allSatisfy { $0.state == "done" })
            print("\(words): saved again \(took) after there was room")
        }

        @Test(.enabled("needs root and the right to mount", StateDisk.isPossible))
        func `S9 a snapshot without room takes the reserve, which comes back when there is room`()
            async throws
        {
            let place = place
            try await withJournal(on: "size=6m") { disk in
                let before = disk.content("queue.json")
                let reserve = try #require(disk.inode("reserve"))
                #expect(try disk.fill() == ENOSPC)
                let engine = try place.start("run", "--json", "--state", disk.state)
                try await engine.output.wait { $0.contains { EventLine.name(of: $0) == "notSaved" } }
                try await Eventually.holds("a new snapshot") { disk.content("queue.json") != before }
                try await disk.free()
                try await engine.output.wait { $0.contains { EventLine.name(of: $0) == "saved" } }
                #expect(disk.content("reserve")?.count == 1 << 20)
                #expect(disk.inode("reserve") != reserve)
                engine.signal(SIGINT)
                #expect(try await engine.ending() == .exited(130))
                let list = try await place.ferry("list", "--json", "--state", disk.state)
                #expect(try UploadLine.all(in: list.lines).count == 40)
            }
        }

        @Test(.enabled("needs root and the right to mount", StateDisk.isPossible))
        func `S9 without inodes the old snapshot stays, adds succeed, and it is reported until one works`()
            async throws
        {
            let place = place
            try await withJournal(on: "size=16m,nr_inodes=40") { disk in
                // The engine's socket needs an inode. That of the killed engine's socket becomes free for it.
                let before = disk.content("queue.json")
                try disk.takeInodes()
                let engine = try place.start("run", "--json", "--state", disk.state)
                let lines = try await engine.output.wait {
                    $0.contains { EventLine.name(of: $0) == "snapshotFailed" }
                }
                #expect(lines.contains { $0.contains("disk full: no new snapshot of the queue in") })
                #expect(disk.content("queue.json") == before)
                #expect(!disk.names.contains { $0.hasPrefix(".tmp.") })
                let added = try await place.ferry("add", "--state", disk.state, place.file("one more"))
                #expect(added.ending == .exited(0), "\(added.errors)")
                try disk.freeInodes()
                try await engine.output.wait { $0.contains { EventLine.name(of: $0) == "saved" } }
                #expect(disk.content("queue.json") != before)
                engine.signal(SIGINT)
                #expect(try await engine.ending() == .exited(130))
                let list = try await place.ferry("list", "--json", "--state", disk.state)
                #expect(try UploadLine.all(in: list.lines).count == 41)
                #expect(disk.content("reserve")?.count == 1 << 20)
            }
        }

        /// Runs `body` with a queue of 40 uploads in the journal, none of them in the snapshot. The server never
        /// responds.
        private func withJournal(
            on options: String, _ body: @Sendable (StateDisk) async throws -> Void
        ) async throws {
            let many = try manyFiles()
            let server = try HostileServer([.neverAnswer, .neverAnswer])
            defer { server.stop() }
            try place.configure("put", at: server.url("/"), limits: #"{ "concurrency": 1 }"#)
            try await StateDisk.with(options) { disk in
                let engine = try place.start("run", "--json", "--state", disk.state)
                try await Eventually.holds("the engine listens") {
                    UnixSocket.accepts(disk.state + "/control")
                }
                let adding = try place.start(["add", "--state", disk.state] + many)
                try #require(try await adding.ending() == .exited(0))
                engine.signal(SIGKILL)
                try await engine.ending()
                try await body(disk)
            }
        }
    }
#endif
