#if os(Linux)

    import Foundation
    import HTTPTypes
    import FerryTestSupport
    import Synchronization
    import Testing

    @testable import FerryRequests
    @testable import FerryTransfer
    @testable import FerryProtocols

    /// Tests many requests at once, and thousands one after another.
    @Suite(.serialized, .timeLimit(.minutes(20)))
    struct EnduranceTests {
        @Test func `A1 a thousand requests at once that meet a 401 renew the credential once`() async throws {
            let refused = Counter()
            let server = try HostileServer(bodyLimit: 0) { connection in
                while try connection.waitForRequest() {
                    let request = try connection.readRequest()
                    if request["Authorization"] == "a1" {
                        try connection.answer(200)
                    } else {
                        refused.add()
                        try connection.answer(401)
                    }
                }
            }
            defer { server.stop() }
            // The renewal waits for 200 refused requests, so that most requests wait for it.
            let authenticator = CountingAuthenticator { number in
                while refused.value < 200 { try await Task.sleep(for: .milliseconds(1)) }
                return Token(name: "a\(number)")
            }
            let statuses = try await withTransport(
                connect: Gate.limit, stall: Gate.limit, response: Gate.limit
            ) { transport in
                let session = Session(
                    Session.Configuration(
                        interceptor: Interceptor(interceptors: [
                            AuthenticationInterceptor(authenticator, credential: .a0)
                        ])), transport: transport)
                let tasks = (0..<1000).map { session.upload(.data([1, 2, 3]), to: server.url("/\($0)")) }
                var statuses: [Int?] = []
                for task in tasks { statuses.append(try? await task.status()) }
                #expect(session.running.count == 0)
                return statuses
            }
            #expect(statuses.count { $0 == 200 } == 1000)
            #expect(authenticator.refreshes == 1)
            #expect(refused.value >= 200)
            print(
                "1,000 requests at once: \(refused.value) refused, 1 renewal, \(server.connectionCount) connections"
            )
        }

        /// The load runs in a process of its own, because the tests in this process use descriptors and memory too.
        @Test(.enabled(if: Load.requested == nil), arguments: Load.lasting)
        func `thousands of uploads leave no descriptor and no memory`(load: Load) async throws {
            let reports = try await load.inOwnProcess(
                rounds: LongTests.areWanted ? [1000, 10_000] : [200, load.shortCount])
            let (first, last) = (try #require(reports.first), try #require(reports.last))
            #expect(reports.count == 2)
            #expect(last.descriptors <= first.descriptors + 2)
            // Swift Testing keeps about 120 bytes for the location of each thrown error. Anything of an upload is
            // larger. The rest is fragmentation of the heap.
            let allowance = 300 * (last.uploads - first.uploads) + 300_000
            #expect(last.allocated - first.allocated <= allowance)
            #expect(last.wrong == 0)
            print("\(load.rawValue): \(first) -> \(last)")
        }

        /// The last uploads may use 4 MiB more than the first ones.
        @Test(.enabled(if: Load.requested == nil))
        func `P5 refusals of gigabytes leave the memory as it was`() async throws {
            let reports = try await Load.flooded.inOwnProcess(rounds: [10, 60])
            let (first, last) = (try #require(reports.first), try #require(reports.last))
            #expect(last.wrong == 0)
            #expect(last.resident - first.resident <= 4 << 20)
            print("flooded: \(first) -> \(last)")
        }

        @Test(.enabled(if: Load.requested != nil, "the test before it runs it, in a process of its own"))
        func `the load that another process asked for`()
            async throws
        {
            let load = try #require(Load.requested)
            for report in try await load.run(rounds: Load.requestedRounds) {
                print("LOAD " + String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
            }
        }
    }

    /// The resources in use after a number of uploads.
    struct LoadReport: Codable, CustomStringConvertible {
        var uploads: Int
        /// The number of uploads with an unexpected outcome.
        var wrong: Int
        var descriptors: Int
        /// The allocated bytes of the heap.
        var allocated: Int
        /// The resident memory in bytes.
        var resident: Int

        var description: String {
            "\(uploads) uploads, \(descriptors) descriptors, heap \(allocated >> 10) KiB, resident \(resident >> 10) KiB"
        }
    }

    /// A kind of upload that is repeated many times.
    enum Load: String, CaseIterable, Sendable {
        case data, file, form, stream, refusedOnce, refusedConnection, reset, cancelled
        /// Each response is a refusal with an endless body.
        case flooded

        static var lasting: [Load] { allCases.filter { $0 != .flooded } }

        private static let environment = ProcessInfo.processInfo.environment
        static var requested: Load? { environment["FERRY_LOAD"].flatMap(Load.init) }
        static var requestedRounds: [Int] {
            (environment["FERRY_LOAD_ROUNDS"] ?? "").split(separator: ",").compactMap { Int($0) }
        }

        var shortCount: Int { self == .file ? 1000 : 600 }

        /// Runs the uploads.
        ///
        /// - Parameter rounds: The numbers of uploads after which a report is made.
        func run(rounds: [Int]) async throws -> [LoadReport] {
            let directory = try TemporaryDirectory()
            let path = directory.path("x.bin")
            _ = try PatternFile(at: path, count: self == .cancelled ? 4 << 20 : 200_000)
            let server = try HostileServer(bodyLimit: 0, remembers: false) { connection in
                var isAgain = false
                while try connection.waitForRequest() {
                    switch self {
                    case .cancelled:
                        try connection.readHead()
                        connection.drain()
                        return
                    case .reset:
                        try connection.readHead()
                        try connection.readBody(1000)
                        return connection.reset()
                    case .flooded:
                        try connection.readRequest()
                        try connection.answer(500, headers: [("Content-Length", "\(10 << 30)")])
                        let block = [UInt8](repeating: 7, count: 65_536)
                        while true { try connection.write(block) }
                    default:
                        try connection.readRequest()
                        try connection.answer(self == .refusedOnce && !isAgain ? 401 : 200)
                        isAgain.toggle()
                    }
                }
            }
            defer { server.stop() }
            let closed = try HostileServer { _ in }
            closed.stop()
            let url = (self == .refusedConnection ? closed : server).url("/f")
            return try await withTransport { transport in
                let session = Session.making(
                    transport, retriers: [OnceAfterRefusal()],
                    validation: .automatic)
                var (done, wrong, reports) = (0, 0, [LoadReport]())
                for round in rounds {
                    while done < round {
                        if try await !upload(path, to: url, session) { wrong += 1 }
                        done += 1
                    }
                    while session.running.count > 0 { await Task.yield() }
                    // The server closes the last connections a moment later.
                    try await Task.sleep(for: .milliseconds(200))
                    reports.append(.now(uploads: done, wrong: wrong))
                }
                return reports
            }
        }

        /// Runs one upload.
        ///
        /// - Returns: True if it ended as expected.
        private func upload(_ path: String, to url: String, _ session: Session) async throws -> Bool {
            let file = LocalPath(path)
            switch self {
            case .data, .refusedOnce:
                return try await session.upload(.data([UInt8](repeating: 7, count: 20_000)), to: url).status()
                    == 200
            case .file: return try await session.upload(.file(file), to: url, method: .put).status() == 200
            case .form:
                var form = MultipartFormData()
                form.append("May", name: "album")
                form.append(file: file, name: "film")
                return try await session.upload(.multipart(form), to: url).status() == 200
            case .stream:
                let stream = BodyStream {
                    AsyncThrowingStream { chunks in
                        for _ in 0..<3 { chunks.yield([UInt8](repeating: 7, count: 10_000)) }
                        chunks.finish()
                    }
                }
                return try await session.upload(.stream(stream), to: url).status() == 200
            case .flooded:
                let result = await outcome { () throws(RequestFailure) in
                    try await session.upload(.data([7]), to: url).status()
                }
                return result.failure?.response?.status == 500
            case .refusedConnection, .reset:
                let result = await outcome { () throws(RequestFailure) in
                    try await session.upload(.file(file), to: url, method: .put).status()
                }
                if case .transport? = result.failure { return true }
                return false
            case .cancelled:
                var options = RequestOptions()
                let begun = Gate()
                options.delegate = RecordingDelegate { _ in begun.open() }
                let task = session.upload(.file(file), to: url, method: .put, options: options)
                for await _ in task.progress { if begun.isOpen { break } }
                task.cancel()
                return await outcome { () throws(RequestFailure) in try await task.status() }
                    .failure?.isCancelled == true
            }
        }

        /// Runs this load in a new process of the test runner.
        func inOwnProcess(rounds: [Int]) async throws -> [LoadReport] {
            let process = Process()
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [
                "--testing-library", "swift-testing", "--filter", "the load that another process asked for",
            ]
            process.environment = ProcessInfo.processInfo.environment.merging([
                "FERRY_LOAD": rawValue, "FERRY_LOAD_ROUNDS": rounds.map { "\($0)" }.joined(separator: ","),
            ]) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            let ended = Gate()
            process.terminationHandler = { _ in ended.open() }
            try process.run()
            let output = try await Task.detached { try pipe.fileHandleForReading.readToEnd() ?? Data() }.value
            try await ended.wait()
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
            let reports = try lines.filter { $0.hasPrefix("LOAD ") }.map {
                try JSONDecoder().decode(LoadReport.self, from: Data($0.dropFirst(5).utf8))
            }
            if process.terminationStatus != 0 || reports.count != rounds.count {
                Issue.record("\(lines.suffix(40).joined(separator: "\n"))")
            }
            return reports
        }
    }

    extension LoadReport {
        static func now(uploads: Int, wrong: Int) -> LoadReport {
            let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            return LoadReport(
                uploads: uploads, wrong: wrong, descriptors: descriptors ?? 0,
                allocated: allocatedBytes, resident: (pages.flatMap { Int($0[1]) } ?? 0) * 4096)
        }

        /// The bytes that glibc got from the system, without the free ones, by malloc_info(3).
        private static var allocatedBytes: Int {
            typealias MallocInfo = @convention(c) (CInt, UnsafeMutablePointer<FILE>?) -> CInt
            guard let symbol = dlsym(nil, "malloc_info") else { return 0 }
            var (text, size): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
            let file = open_memstream(&text, &size)
            _ = unsafeBitCast(symbol, to: MallocInfo.self)(0, file)
            fclose(file)
            defer { free(text) }
            guard let text else { return 0 }
            // The totals come after the numbers of each arena.
            let totals = String(cString: text).components(separatedBy: "</heap>").last ?? ""
            func bytes(_ mark: String) -> Int {
                guard let start = totals.range(of: mark),
                    let field = totals[start.upperBound...].range(of: "size=\"")
                else { return 0 }
                return Int(totals[field.upperBound...].prefix { $0.isNumber }) ?? 0
            }
            return bytes("<system type=\"current\"") + bytes("type=\"mmap\"") - bytes("type=\"fast\"")
                - bytes("type=\"rest\"")
        }
    }

    /// Retries a refused request once.
    private struct OnceAfterRefusal: RequestRetrier {
        func retry(
            _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
        ) -> RetryDecision {
            failure.response?.status == 401 && context.attempt == 1 ? .retry : .doNotRetry
        }
    }

#endif
