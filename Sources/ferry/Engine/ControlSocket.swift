import FerryTUI
import FerryUploads

/// The engine's Unix socket in the state folder. Each request and each response is a line of JSON. After the request
/// `follow`, the engine sends updates (`UpdateLines`) until one side closes the connection.
enum ControlSocket {
    /// The version of the format of requests and responses. It increases with each incompatible change. The JSON
    /// members `version` and `ferry` never change, so that two versions of Ferry can recognize each other.
    static let version = 10

    /// The members of requests and responses that every version of Ferry understands.
    struct Greeting: Codable {
        var version: Int
        var ferry: String?
    }

    struct Request: Codable {
        var version = ControlSocket.version
        var ferry = FerryVersion.current
        var ask: Ask

        enum Ask: Codable {
            case perform(QueueCommand)
            /// Requests the uploads that match a filter. Clients use this request in place of `perform(.list)`.
            case list(UploadFilter)
            /// Requests the reasons why a command left uploads unchanged. `changed` are the uploads that it changed.
            case explain(NoOpExplanation.Command, UploadSelection, changed: [Upload.ID])
            case progress
            case report
            case reload
            case follow
        }
    }

    struct Response: Codable {
        var version = ControlSocket.version
        var ferry = FerryVersion.current
        var content: Content

        private enum CodingKeys: String, CodingKey {
            case version, ferry
            case content = "answer"
        }

        enum Content: Codable {
            case reply(QueueReply)
            /// A reply without ids, and the ranges of the ids that it is about. As a list, a million ids took the client
            /// 56 MiB and 0.4 s.
            case replyAbout(QueueReply, UploadNumbers)
            /// The number of upload records that follow this response, one per line, with their largest number, if
            /// there are any, and whether they have several destinations.
            case listing(count: Int, largestID: Upload.ID?, hasSeveralDestinations: Bool)
            /// The reasons why a command left uploads unchanged, a sentence each.
            case explained([String])
            case progress([ProgressSample])
            case report(EngineReport)
            case reloaded(ReloadReport)
            /// The request `follow` is accepted: the engine sends updates of the queue from now on.
            case following
        }
    }

    /// The number of ids from which a reply may contain their ranges instead.
    fileprivate static let manyIDs = 1000

    static func path(in folder: LocalPath) -> LocalPath { folder.appending(Array("control".utf8)) }
}

extension LineSocket {
    /// Writes a value as a line of JSON. Returns false if the other side does not read or has closed the connection.
    func write(line value: some Encodable, within time: PeerTime? = nil) -> Bool {
        guard let line = try? JSONEncoder().encode(value) else { return false }
        return write(line + [0x0A], within: time)
    }

    func write(_ bytes: Data, within time: PeerTime? = nil) -> Bool { write(Array(bytes), within: time) }
}

extension ControlSocket.Response.Content {
    /// Makes the response with a reply of the queue, which contains the ranges of many ids if this is much shorter.
    init(_ reply: QueueReply) {
        self = .reply(reply)
        guard reply.ids.count >= ControlSocket.manyIDs else { return }
        let numbers = UploadNumbers(joining: reply.ids)
        guard numbers.ranges.count < reply.ids.count / 8 else { return }
        var short = reply
        short.ids = []
        self = .replyAbout(short, numbers)
    }
}
