import FerryReceiver

/// Where the receiver is.
struct ListeningLine: OutputLine {
    var event = "listening"
    var url: String
    var tus: String
    var folder: String

    static let schema = LineSchema(
        [.init("listening", "The receiver takes uploads from now on.")],
        always: [
            .init("url", .text(), "The address to PUT and POST below."),
            .init("tus", .text(), "The address at which tus uploads are created."),
            .init("folder", .text(), "Where files are put, as it was given."),
        ])
}

/// What became of an upload at the receiver.
struct ReceiverLine: OutputLine {
    var event: String
    var id: String?
    var name: String?
    var size: Int?
    var kept: Int?
    var status: Int?
    var reason: String?

    /// - Returns: nil of what is told too often to be a line.
    init?(_ event: ReceiverEvent) {
        switch event {
        case .received: return nil
        case .created(let id, let name, let size):
            (self.event, self.id, self.name, self.size) = ("begun", id, name, size)
        case .finished(let id, let name, let size):
            (self.event, self.id, self.name, self.size) = ("stored", id, name, size)
        case .interrupted(let id, let kept): (self.event, self.id, self.kept) = ("interrupted", id, kept)
        case .removed(let id): (self.event, self.id) = ("withdrawn", id)
        case .expired(let id): (self.event, self.id) = ("expired", id)
        case .refused(let status, let reason):
            (self.event, self.status, self.reason) = ("refused", status, reason)
        }
    }

    static let schema = LineSchema(
        [
            .init("begun", "A client has begun an upload."), .init("stored", "A file is on disk, durably."),
            .init("interrupted", "A client went away."), .init("withdrawn", "A client removed its upload."),
            .init("expired", "An upload was removed since nothing came for too long."),
            .init("refused", "A request was turned down."),
        ],
        maybe: [
            .init("id", .text(), "Of the upload, here alone; absent of a request that was turned down."),
            .init("name", .text(), "Of begun: as the client wishes. Of stored: the path below the folder."),
            .init("size", .whole(0...Int.max), "Bytes, where they are known."),
            .init("kept", .whole(0...Int.max), "Of interrupted: bytes that wait for the client."),
            .init("status", .whole(100...599), "Of refused: the HTTP status of the answer."),
            .init("reason", .text(), "Of refused: why."),
        ])
}
