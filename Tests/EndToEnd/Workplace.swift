import FerryTestSupport
import Foundation
import Testing

/// The program under test: the one beside the tests, or the one that the environment variable FERRY names.
enum FerryBinary {
    struct NotFound: Error {
        var places: [String]
    }

    static func path() throws -> String {
        if let named = ProcessInfo.processInfo.environment["FERRY"] { return named }
        // On Linux the test runner is in the folder of the products. On macOS it belongs to Xcode, and the test bundle
        // is there.
        var folders = [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        folders += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        folders.append(Repository.root.appending(path: ".build/debug"))
        let places = folders.map { $0.appending(path: "ferry").path(percentEncoded: false) }
        guard let found = places.first(where: FileManager.default.isExecutableFile) else {
            throw NotFound(places: places)
        }
        return found
    }
}

/// The ending and the output of a command.
struct CommandResult {
    var ending: ChildProcess.Ending
    var output: String
    var errors: String
    var bytes: [UInt8]

    var status: Int32? {
        if case .exited(let status) = ending { status } else { nil }
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// A user's home for `ferry`: configuration, state and files in one temporary folder.
struct Workplace: Sendable {
    let directory: TemporaryDirectory
    var environment: [String: String]

    init() throws {
        directory = try TemporaryDirectory()
        environment = [
            "HOME": directory.path("home"), "XDG_CONFIG_HOME": directory.path("config"),
            "XDG_STATE_HOME": directory.path("state-home"), "LC_ALL": "C.UTF-8",
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        ]
        environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        try FileManager.default.createDirectory(
            atPath: directory.path("home"), withIntermediateDirectories: false)
    }

    /// The state folder with the queue.
    var state: String { directory.path("state-home/ferry") }
    var configurationFile: String { directory.path("config/ferry/config.json") }

    /// Makes a home whose queue has the files `a`, `b` and `c`, for a server that does not exist.
    static func withThreeUploads() async throws -> Workplace {
        let place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        for name in ["a", "b", "c"] { try place.file(name, name) }
        try await place.ferry("add", place.path("a"), place.path("b"), place.path("c"))
        return place
    }

    /// Makes an empty folder and returns its path.
    func folder(_ name: String) throws -> String {
        let path = directory.path(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    /// Writes the configuration as a private file.
    func configure(_ text: String) throws {
        try directory.write(Array(text.utf8), to: "config/ferry/config.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configurationFile)
    }

    /// Configures one destination, `here`, at `url`. Retries come at once, so that no test waits for them. The server
    /// may take minutes to respond, because the machine may be busy.
    ///
    /// - Parameter retry: The seconds before the first retry. A shorter state than a few seconds may be over before
    ///   `run --json` prints it.
    func configure(
        _ protocolName: String, at url: String, more: String = "", limits: String = "{}", retry: Double = 0.01
    ) throws {
        try configure(
            """
            { "destinations": { "here": { "url": "\(url)", "protocol": "\(protocolName)"\(more) } },
              "retry": { "base": \(retry), "cap": \(max(0.05, retry)) }, "timeouts": { "response": 600 }, "limits": \(limits) }
            """)
    }

    /// Makes a file for upload and returns its path.
    @discardableResult
    func file(_ name: String, _ text: String = "contents") throws -> String {
        try directory.write(Array(text.utf8), to: "files/\(name)")
    }

    /// Returns the path of a file that `file` makes.
    func path(_ name: String) -> String { directory.path("files/\(name)") }

    /// Returns the body sizes of all requests with this method, as the log records them.
    func exchangeSizes(_ method: String) throws -> [Int] {
        let log = try String(contentsOfFile: state + "/ferry.log", encoding: .utf8)
        return log.split(separator: "\n").compactMap { line in
            guard line.contains(" \(method) "), line.hasSuffix(" bytes)") else { return nil }
            return line.split(separator: "(").last.flatMap { Int($0.prefix { $0 != " " }) }
        }
    }

    func start(_ arguments: [String]) throws -> ChildProcess {
        try start(bytes: arguments.map { Array($0.utf8) })
    }

    func start(_ arguments: String...) throws -> ChildProcess { try start(arguments) }

    func start(bytes arguments: [[UInt8]]) throws -> ChildProcess {
        try ChildProcess(try FerryBinary.path(), arguments, environment: environment)
    }

    /// Starts `ferry` through another program, such as one that enters a namespace.
    ///
    /// - Parameter words: The other program and its arguments.
    func start(through words: [String], _ arguments: [String]) throws -> ChildProcess {
        let all = words + [try FerryBinary.path()] + arguments
        return try ChildProcess("/usr/bin/env", all.map { Array($0.utf8) }, environment: environment)
    }

    @discardableResult
    func ferry(_ arguments: String..., upTo limit: Duration = Gate.limit) async throws -> CommandResult {
        try await Self.result(of: try start(arguments), upTo: limit)
    }

    /// Runs `body` while an engine runs that other commands can reach.
    func withEngine(_ body: (ChildProcess) async throws -> Void) async throws {
        let engine = try start("run", "--json")
        try await Eventually.holds("the control socket") { UnixSocket.accepts(state + "/control") }
        try await body(engine)
        engine.signal(SIGTERM)
        try await engine.ending()
    }

    static func result(
        of process: ChildProcess, upTo limit: Duration = Gate.limit
    ) async throws -> CommandResult {
        let ending = try await process.ending(upTo: limit)
        return CommandResult(
            ending: ending, output: process.output.text, errors: process.errors.text,
            bytes: process.output.bytes)
    }

    /// Returns the queue as `ferry list --json` prints it.
    func list() async throws -> [UploadLine] {
        let result = try await ferry("list", "--json")
        #expect(result.ending == .exited(0), "\(result.errors)")
        return try UploadLine.all(in: result.lines)
    }

    /// Checks that a secret is neither in the output nor in the state folder.
    func expectNowhere(_ secret: String, in result: CommandResult) throws {
        #expect(!(result.output + result.errors).contains(secret))
        for name in try FileManager.default.contentsOfDirectory(atPath: state) {
            let content = FileManager.default.contents(atPath: state + "/" + name) ?? Data()
            #expect(String(decoding: content, as: UTF8.self).contains(secret) == false, "\(name)")
        }
    }
}

/// A line of `--json`, with the documented names.
struct UploadLine: Decodable, Hashable {
    var event: String
    var id: Int
    var path: String
    var name: String
    var destination: String
    var url: String
    var `protocol`: String
    var size: Int
    var sent: Int
    var confirmed: Int
    var state: String
    var attempts: Int
    var resumes: Int
    var resent: Int
    var error: String?
    var hint: String?
    var status: Int?
    var until: String?
    var location: String?
    var source: String?
    var verified: String?
    var possibleDuplicate: Bool?
    var batch: String?
    var startsAt: String?
    var after: [Int]?

    /// Returns the lines about uploads.
    static func all(in lines: [String]) throws -> [UploadLine] {
        try lines.compactMap { line in
            let event = try JSONDecoder().decode(EventLine.self, from: Data(line.utf8))
            guard ["upload", "state", "progress", "removed"].contains(event.event) else { return nil }
            return try JSONDecoder().decode(UploadLine.self, from: Data(line.utf8))
        }
    }
}

/// The member that every line of `--json` has.
struct EventLine: Decodable {
    var event: String

    static func name(of line: String) -> String? {
        try? JSONDecoder().decode(EventLine.self, from: Data(line.utf8)).event
    }
}
