import FerryReceiver

/// The address and folder of the receiver.
struct ListeningLine: OutputLine {
    var event = "listening"
    var url: String
    var tus: String
    var folder: String
    var tokenFile: String?

    static let schema = LineSchema(
        [.init("listening", "The receiver takes uploads from now on.")],
        always: [
            .init("url", .text(), "The address to PUT and POST below."),
            .init("tus", .text(), "The address at which tus uploads are created."),
            .init("folder", .text(), "Where files are put, as it was given."),
        ],
        maybe: [
            .init("tokenFile", .text(), "The file with the token that the receiver made for its clients.")
        ])
}

/// An event of an upload at the receiver.
struct ReceiverLine: OutputLine {
    var event: String
    var id: String?
    var name: String?
    var size: Int?
    var kept: Int?
    var status: Int?
    var reason: String?
    var request: String?
    var offset: Int?

    /// - Returns: The line; nil for events that are too frequent for a line.
    init?(_ event: ReceiverEvent) {
        switch event {
        case .received: return nil
        case .created(let id, let name, let size):
            (self.event, self.id, self.name, self.size) = ("begun", id, name, size)
        case .finished(let id, let name, let size):
            (self.event, self.id, self.name, self.size) = ("stored", id, name, size)
        case .interrupted(let id, let name, let kept):
            (self.event, self.id, self.name, self.kept) = ("interrupted", id, name, kept)
        case .resumed(let id, let name, let offset):
            (self.event, self.id, self.name, self.offset) = ("resumed", id, name, offset)
        case .removed(let id, let name): (self.event, self.id, self.name) = ("withdrawn", id, name)
        case .expired(let id, let name): (self.event, self.id, self.name) = ("expired", id, name)
        case .refused(let status, let reason, let request):
            (self.event, self.status, self.reason) = ("refused", status, reason)
            self.request = request.isEmpty ? nil : request
        }
    }

    static let schema = LineSchema(
        [
            .init("begun", "A client has begun an upload."), .init("stored", "A file is on disk, durably."),
            .init("interrupted", "A client went away."),
            .init("resumed", "Bytes of an upload come again, after a break or a restart of the receiver."),
            .init("withdrawn", "A client removed its upload."),
            .init("expired", "An upload was removed since nothing came for too long."),
            .init("refused", "A request was turned down."),
        ],
        maybe: [
            .init("id", .text(), "Of the upload, here alone; absent of a request that was turned down."),
            .init(
                "name", .text(),
                "The path below the folder; of an upload that is not stored, as the client wishes."),
            .init("size", .whole(0...Int.max), "Bytes, where they are known."),
            .init("kept", .whole(0...Int.max), "Of interrupted: bytes that wait for the client."),
            .init("status", .whole(100...599), "Of refused: the HTTP status of the answer."),
            .init("reason", .text(), "Of refused: why."),
            .init("request", .text(), "Of refused: the method and the path; absent of a connection."),
            .init("offset", .whole(0...Int.max), "Of resumed: the first byte that comes."),
        ])
}
