import FerryProtocols
import FerryUploads

/// Sends requests to the engine in another process, each over its own connection to the control socket in `folder`.
struct ControlClient {
    let folder: LocalPath
    /// The number of seconds to wait for a response.
    var timeout = 30

    /// The number of seconds within which an engine responds to `progress`, even on a busy machine.
    static let pulse = 3

    /// The greatest number of ids that a reply may be about, so that a wrong range cannot take all memory.
    private static let mostIDs = 100_000_000

    /// Requests the progress, which needs little work: a report on a million uploads takes long.
    func askPulse() -> Outcome { ControlClient(folder: folder, timeout: Self.pulse).ask(.progress) }

    /// Returns the progress of the running uploads; none without an engine.
    ///
    /// - Throws: `CommandFailure` if an engine accepts the connection, but sends no response within `pulse` seconds.
    @discardableResult
    func checkPulse() throws(CommandFailure) -> [ProgressSample] {
        let start = ContinuousClock.now
        switch askPulse() {
        case .responded(.progress(let samples)): return samples
        case .unknown where .now - start >= .seconds(Self.pulse): throw silence
        case .responded, .otherVersion, .noEngine, .unknown: return []
        }
    }

    var silence: CommandFailure {
        let resume = process.map { "`kill -CONT \($0)` resumes it if it is suspended; " } ?? ""
        return CommandFailure(
            inUse: "the engine does not answer\(process.map { " (process \($0))" } ?? "")",
            hint: "\(resume)`ferry stop` ends it; nothing it acknowledged is lost")
    }

    struct Connection {
        let socket: LineSocket
        var lines: IncomingLines
        /// The id of the engine's process; nil if the system does not report it.
        let process: Int32?
    }

    enum Outcome {
        case responded(ControlSocket.Response.Content)
        /// The engine is another version of Ferry and did not understand the request.
        case otherVersion(UploadFailure)
        /// There is no engine, or it ended before it received the request.
        case noEngine
        /// The engine sent no valid response, but has possibly carried out the request.
        case unknown
    }

    /// The result of a command; the cases have the meanings of those in `Outcome`.
    enum CommandResult<Value> {
        case reply(Value)
        case refused(UploadFailure)
        case noEngine
        case unknown
    }

    var hasListener: Bool { connect() != nil }

    /// The id of the process that listens on the control socket; nil if none listens, or if the system does not tell.
    var process: Int32? { connect()?.process }

    /// Sends a command to the engine.
    func perform(_ command: QueueCommand) -> CommandResult<QueueReply> {
        guard var connection = connect() else { return .noEngine }
        switch connection.ask(command == .list ? .list(UploadFilter()) : .perform(command)) {
        case .responded(.reply(.refused(let failure))), .otherVersion(let failure): return .refused(failure)
        case .responded(.reply(let reply)): return .reply(reply)
        case .responded(.replyAbout(var reply, let numbers)):
            guard let ids = numbers.ids(atMost: Self.mostIDs) else { return .unknown }
            reply.ids = ids
            return .reply(reply)
        case .responded(.listing(let count, _, _)):
            return connection.uploads(count).map { .reply(.uploads($0)) } ?? .unknown
        case .responded, .unknown: return .unknown
        case .noEngine: return .noEngine
        }
    }

    /// Requests the uploads that match `filter`, and waits for the first ones. `samples` is the progress of the running
    /// uploads.
    func list(_ filter: UploadFilter, samples: [ProgressSample]) -> CommandResult<UploadListing> {
        guard var connection = connect() else { return .noEngine }
        switch connection.ask(.list(filter)) {
        case .responded(.listing(let count, let largestID, let isSeveral)):
            let listing = UploadListing(
                count, largestID: largestID, hasSeveralDestinations: isSeveral,
                sent: SampledProgress(samples), from: connection)
            return listing.map { .reply($0) } ?? .unknown
        case .responded(.reply(.refused(let failure))), .otherVersion(let failure): return .refused(failure)
        case .responded, .unknown: return .unknown
        case .noEngine: return .noEngine
        }
    }

    func ask(_ ask: ControlSocket.Request.Ask) -> Outcome {
        guard var connection = connect() else { return .noEngine }
        return connection.ask(ask)
    }

    func connect() -> Connection? {
        let path = ControlSocket.path(in: folder)
        guard let socket = LineSocket(connectingTo: path, timeout: timeout), socket.isOfSameUser else {
            return nil
        }
        return Connection(socket: socket, lines: IncomingLines(socket), process: socket.process)
    }
}

extension ControlClient.Connection {
    /// Reads `count` upload records, one per line. Returns nil if a record is missing or invalid.
    mutating func uploads(_ count: Int) -> [Upload]? {
        let uploads = page(count)
        return uploads.count >= count ? uploads : nil
    }

    /// Reads up to `count` upload records, one per line, and stops at a missing or invalid one.
    mutating func page(_ count: Int) -> [Upload] {
        var reader = UpdateLines.RecordReader()
        var uploads: [Upload] = []
        for _ in 0..<max(0, count) {
            guard let line = lines.next(),
                let upload = line.withUnsafeBufferPointer({ try? reader.upload($0) })
            else { break }
            uploads.append(upload)
        }
        return uploads
    }

    mutating func ask(_ ask: ControlSocket.Request.Ask) -> ControlClient.Outcome {
        guard socket.write(line: ControlSocket.Request(ask: ask)) else { return .noEngine }
        guard let line = lines.next().map({ Data($0) }),
            let greeting = try? JSONDecoder().decode(ControlSocket.Greeting.self, from: line)
        else { return .unknown }
        guard greeting.version == ControlSocket.version else {
            return .otherVersion(.otherVersion(running: greeting.ferry, asking: FerryVersion.current))
        }
        guard let response = try? JSONDecoder().decode(ControlSocket.Response.self, from: line) else {
            return .unknown
        }
        return .responded(response.content)
    }
}
