#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests a wall clock that is set before the start or while an upload waits.
    @Suite(
        .fewAtOnce, .enabled("needs a C compiler", { PreloadedLibrary.compiler != nil }),
        .timeLimit(.minutes(10)))
    struct SetClockTests {
        private let clock: WallClock
        private let place: Workplace

        init() async throws {
            var place = try Workplace()
            clock = try await WallClock(in: place.directory)
            place.environment.merge(clock.environment) { $1 }
            self.place = place
        }

        private func busy(for seconds: Int) -> HostileBehavior {
            .answer(503, headers: [("Retry-After", "\(seconds)")])
        }

        @Test(arguments: [1, -1, 3653, -3653])
        func `S17 a retry comes when the server asked for it, whatever the clock is set to meanwhile`(
            days: Int
        ) async throws {
            let server = try HostileServer([busy(for: 5), .answer(201)])
            defer { server.stop() }
            try place.configure("put", at: server.url("/"))
            try await place.ferry("add", try place.file("a"))
            let engine = try place.start("run", "--json", "--exit-when-idle")
            try await engine.output.wait { $0.contains { $0.contains(#""state":"waiting""#) } }
            let waiting = ContinuousClock.now
            try clock.set(days: days)
            let list = try await place.ferry("list")
            #expect(list.output.contains(/retrying (in [1-5] s|now):/), "\(list.output)")
            try await server.wait { $0.count == 2 }
            let waited = ContinuousClock.now - waiting
            #expect(waited > .seconds(4.5))
            // A clock that is a day off would make it a day.
            #expect(waited < .seconds(120))
            #expect(try await engine.ending() == .exited(0))
            #expect(server.requests.count == 2)
            print("set by \(days) days: retried after \(waited) of 5 s")
        }

        @Test(arguments: [(400, 0.0), (-2, 4.0), (-3653, 4.0)])
        func `S17 a wait that was written down is no longer than it was drawn under another clock`(
            days: Int, least: Double
        ) async throws {
            let server = try HostileServer([busy(for: 5), .answer(201)])
            defer { server.stop() }
            try place.configure("put", at: server.url("/"))
            try await place.ferry("add", try place.file("a"))
            let first = try place.start("run", "--json")
            try await first.output.wait { $0.contains { $0.contains(#""state":"waiting""#) } }
            first.signal(SIGKILL)
            try await first.ending()
            try clock.set(days: days)
            let list = try await place.ferry("list", "--json")
            // The printed times come from the set clock.
            #expect(list.output.contains("\"until\":\"\(clock.year(days: days))-"), "\(list.output)")
            let text = try await place.ferry("list")
            #expect(text.output.contains(/retrying (in [1-5] s|now):/), "\(text.output)")
            let begun = ContinuousClock.now
            let second = try place.start("run", "--exit-when-idle")
            try await server.wait { $0.count == 2 }
            let waited = ContinuousClock.now - begun
            #expect(waited > .seconds(least))
            // A clock that is a day off would make it a day.
            #expect(waited < .seconds(120))
            #expect(try await second.ending() == .exited(0))
        }
    }

    /// A preloaded library that gives a program another time of day.
    private struct WallClock: Sendable {
        private let file: String
        let environment: [String: String]

        init(in directory: TemporaryDirectory) async throws {
            let library = try await PreloadedLibrary.compile("set_clock.c", in: directory)
            file = directory.path("clock")
            environment = ["LD_PRELOAD": library, "FERRY_TEST_CLOCK": file]
        }

        /// Sets the clock to `days` days after the real time.
        func set(days: Int) throws {
            // The file is written atomically, so a program reads either the old time or the new one.
            try Data("\(days * 86_400)\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        }

        /// Returns the year that the set clock shows.
        func year(days: Int) -> Int {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            return calendar.component(.year, from: Date().addingTimeInterval(Double(days) * 86_400))
        }
    }
#endif
