import FerryFiles
import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads

/// The Unix socket in the state folder: one JSON object a line, a request in and its response out. After `follow` the
/// connection carries updates (`UpdateLines`) until one end closes.
enum ControlSocket {
    /// The version of the form of requests and responses. The form of `version` and `ferry` never changes: they tell
    /// two versions of ferry apart.
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
            /// Lists the uploads that a filter chooses, like `QueueCommand.list`.
            case list(UploadFilter)
            /// Explains why a command left chosen uploads unchanged.
            case explain(NoOpExplanation.Command, UploadSelection, changed: [Upload.ID])
            /// Requests the progress of the running uploads.
            case progress
            /// Requests a report on the engine.
            case report
            /// Reads the configuration again.
            case reload
            /// Requests all updates from now on.
            case follow
        }
    }

    struct Response: Codable {
        var version = ControlSocket.version
        var ferry = FerryVersion.current
        var answer: Content

        enum Content: Codable {
            case reply(QueueReply)
            /// The number of records of uploads that follow, each in a line.
            case listing(count: Int)
            /// The explanations, a sentence for each group of uploads.
            case explained([String])
            case progress([ProgressSample])
            case report(EngineReport)
            case reloaded(ReloadReport)
            /// Updates follow.
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
