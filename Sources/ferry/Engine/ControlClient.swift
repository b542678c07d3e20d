import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Asks the ferry that has the queue, one connection a question.
struct ControlClient {
    let folder: LocalPath
    /// Seconds that an engine may be silent.
    private(set) var patience = 30

    init(folder: LocalPath) { self.folder = folder }

    /// The same, for questions that any engine answers at once.
    func asking(within seconds: Int) -> ControlClient {
        var client = self
        client.patience = seconds
        return client
    }

    /// A connection to it.
    struct Connection {
        let socket: LineSocket
        var lines: IncomingLines
        /// nil if the system does not tell.
        let process: pid_t?
    }

    /// How a question ended.
    enum Outcome {
        case answered(ControlSocket.Response.Answer)
        /// The running ferry is another version, which understood nothing.
        case otherVersion(UploadFailure)
        /// It has not been asked.
        case nobody
        /// It was asked and no answer came: what was asked may have been done.
        case unknown
    }

    enum Answer {
        case reply(QueueReply)
        /// The command has not been carried out.
        case nobody
        /// The command was sent whole and no reply came: it may have been carried out.
        case unknown
    }

    /// Whether an engine listens there.
    var isAnswered: Bool { connect() != nil }

    /// The process that listens there, whatever version it is.
    var process: pid_t? { connect()?.process }

    func perform(_ command: QueueCommand) -> Answer {
        switch ask(.perform(command)) {
        case .answered(.reply(let reply)): .reply(reply)
        case .otherVersion(let failure): .reply(.refused(failure))
        case .answered, .unknown: .unknown
        case .nobody: .nobody
        }
    }

    func ask(_ ask: ControlSocket.Request.Ask) -> Outcome {
        guard var connection = connect() else { return .nobody }
        return connection.ask(ask)
    }

    /// - Returns: nil if nobody listens, or somebody else than this user.
    func connect() -> Connection? {
        let descriptor = ControlSocket.open()
        guard descriptor >= 0 else { return nil }
        let socket = LineSocket(descriptor, patience: patience)
        let path = ControlSocket.path(in: folder)
        guard ControlSocket.withAddress(path, { systemConnect(descriptor, $0, $1) }) == 0,
            let peer = ControlSocket.peer(of: descriptor), peer.user == getuid()
        else { return nil }
        return Connection(socket: socket, lines: IncomingLines(socket), process: peer.process)
    }
}

extension ControlClient.Connection {
    mutating func ask(_ ask: ControlSocket.Request.Ask) -> ControlClient.Outcome {
        guard socket.write(line: ControlSocket.Request(ask: ask)) else { return .nobody }
        guard let line = lines.next().map({ Data($0) }),
            let greeting = try? JSONDecoder().decode(ControlSocket.Greeting.self, from: line)
        else { return .unknown }
        guard greeting.version == ControlSocket.version else {
            return .otherVersion(.otherVersion(running: greeting.ferry, asking: FerryVersion.current))
        }
        guard let response = try? JSONDecoder().decode(ControlSocket.Response.self, from: line) else {
            return .unknown
        }
        return .answered(response.answer)
    }
}

private func systemConnect(
    _ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> CInt {
    connect(descriptor, address, length)
}
