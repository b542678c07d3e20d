#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing

    /// Tests a disk on which `fdatasync` fails with EIO from some call on.
    @Suite(
        .fewAtOnce, .enabled("needs root and strace", { Privilege.isRoot && Privilege.has("strace") }),
        .timeLimit(.minutes(10)))
    struct BrokenDiskTests {
        private let place: Workplace

        init() throws { place = try Workplace() }

        /// Makes every later `fdatasync` of a running program fail; with `file`, only those of this file.
        private func breakDisk(of engine: ChildProcess, file: String? = nil) async throws -> ChildProcess {
            var words = [
                "strace", "-f", "-p", "\(engine.id)", "-o", place.directory.path("trace"), "-e",
                "trace=fdatasync", "-e", "inject=fdatasync:error=EIO",
            ]
            if let file { words += ["-P", file] }
            let strace = try ChildProcess(
                "/usr/bin/env", words.map { Array($0.utf8) }, environment: place.environment)
            try await strace.errors.wait { $0.contains { $0.contains("attached") } }
            return strace
        }

        private func injected() throws -> Int {
            let trace = try String(contentsOfFile: place.directory.path("trace"), encoding: .utf8)
            return trace.components(separatedBy: "(INJECTED)").count - 1
        }

        /// Returns the path of the journal in use.
        private func journal() throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: place.state)
            let numbers = names.compactMap { name in
                name.hasPrefix("journal.") ? Int(name.dropFirst(8).prefix { $0 != "." }) : nil
            }
            return "\(place.state)/journal.\(try #require(numbers.max())).jsonl"
        }

        @Test func `S12 a journal is never synced again after a failed sync, and nothing is lost`()
            async throws
        {
            let gate = Gate()
            let server = try HostileServer([.answer(201, when: gate)])
            defer { server.stop() }
            try place.configure("put", at: server.url("/"))
            try await place.ferry("add", try place.file("a"))
            let engine = try place.start("run", "--json", "--exit-when-idle")
            try await server.wait { $0.count == 1 }
            let file = try journal()
            let strace = try await breakDisk(of: engine, file: file)
            let added = try await place.ferry("add", try place.file("b"))
            #expect(added.ending == .exited(0), "\(added.errors)")
            #expect(try journal() != file)
            try await place.ferry("pause", "2")
            gate.open()
            #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
            try await strace.ending()
            #expect(try injected() == 1)
            #expect(!engine.output.text.contains("notSaved"))
            #expect(try await place.list().map(\.state) == ["done", "paused"])
        }

        @Test
        func `S12 a disk that cannot sync refuses adds, lets running uploads finish, and is in the status`()
            async throws
        {
            let gate = Gate()
            let server = try HostileServer(
                [.answer(201, when: gate)] + Array(repeating: .answer(201), count: 20))
            defer { server.stop() }
            try place.configure("put", at: server.url("/"), limits: #"{ "concurrency": 1 }"#)
            try await place.ferry("add", try place.file("a"), try place.file("b"))
            let engine = try place.start("run", "--json", "--exit-when-idle")
            try await server.wait { $0.count == 1 }
            let strace = try await breakDisk(of: engine)
            let refused = try await place.ferry("add", try place.file("c"))
            #expect(refused.ending == .exited(73))
            #expect(
                refused.errors.hasPrefix("error: held: state cannot be saved (EIO: "), "\(refused.errors)")
            #expect(refused.errors.contains("; 1 upload keeps running, no new ones start\nhint: "))
            gate.open()
            #expect(try await engine.ending() == .exited(73), "\(engine.output.text) \(engine.errors.text)")
            try await strace.ending()
            let lines = engine.output.lines
            #expect(lines.count { EventLine.name(of: $0) == "notSaved" } == 1)
            #expect(lines.contains { $0.contains(#""state":"done""#) && $0.contains(#""id":1"#) })
            #expect(engine.errors.text.contains("error: held: state cannot be saved (EIO: "))
            // The engine tries several times, but not endlessly.
            #expect(try injected() < 20)
            // No other upload started, and the two acknowledged ones are in the queue.
            #expect(server.requests.count == 1)
            #expect(try await place.list().map(\.id) == [1, 2])
            #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        }
    }
#endif
