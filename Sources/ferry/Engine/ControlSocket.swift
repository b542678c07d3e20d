import FerryFiles
import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads

/// The Unix socket in the state folder: one JSON object a line, a request in and its response out. After `follow` the
/// connection carries updates (`UpdateLines`) until one of the two ends goes.
enum ControlSocket {
    /// Grows when a request or a response changes its form. `version` and `ferry` of both never do: by them two
    /// versions of ferry tell each other apart.
    static let version = 8

    /// The members that every version understands.
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
            /// The uploads that a filter chooses, as `QueueCommand.list`.
            case list(UploadFilter)
            /// Asks why a command left chosen uploads as they were.
            case explain(NoOpExplanation.Command, UploadSelection, changed: [Upload.ID])
            /// Asks for the progress of the running uploads.
            case progress
            /// Asks for a report on the engine.
            case report
            /// Read the configuration again.
            case reload
            /// Everything that changes from now on.
            case follow
        }
    }

    struct Response: Codable {
        var version = ControlSocket.version
        var ferry = FerryVersion.current
        var answer: Content

        enum Content: Codable {
            case reply(QueueReply)
            /// The number of records of uploads that come next, each in a line.
            case listing(count: Int)
            /// A sentence for all that are in the same way.
            case explained([String])
            case progress([ProgressSample])
            case report(EngineReport)
            case reloaded(ReloadReport)
            /// Updates come next.
            case following
        }
    }

    static func path(in folder: LocalPath) -> LocalPath { folder.appending(Array("control".utf8)) }
}

extension LineSocket {
    /// Writes a value as a line of JSON.
    func write(line value: some Encodable) -> Bool {
        guard let line = try? JSONEncoder().encode(value) else { return false }
        return write(line + [0x0A])
    }

    func write(_ bytes: Data) -> Bool { write(Array(bytes)) }
}
