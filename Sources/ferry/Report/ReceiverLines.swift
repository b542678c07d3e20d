import FerryReceiver

/// The line of `ferry serve --json` at the start of the receiver, with its URLs, its folder and its token file.
struct ListeningLine: OutputLine {
    let url: String
    let tus: String
    let folder: String
    let tokenFile: String?

    static let events: KeyValuePairs = ["listening": "The receiver takes uploads from now on."]
    static let members: [LineMember<Self>] = [
        .always("url", "The address to PUT and POST below.", \.url),
        .always("tus", "The address at which tus uploads are created.", \.tus),
        .always("folder", "Where files are put, as it was given.", \.folder),
        .maybe("tokenFile", "The file with the token that the receiver made for its clients.", \.tokenFile),
    ]
}

/// The line of `ferry serve --json` about an event of the receiver, such as a finished upload.
struct ReceiverLine: OutputLine {
    let event: String
    private var id: String?
    private var name: String?
    private var size: Int?
    private var kept: Int?
    private var status: Int?
    private var reason: String?
    private var request: String?
    private var offset: Int?

    /// Creates the line about an event. Returns nil for `received`, because this event is too frequent for lines.
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

    static let events: KeyValuePairs = [
        "begun": "A client has begun an upload.", "stored": "A file is on disk, durably.",
        "interrupted": "A client went away.",
        "resumed": "Bytes of an upload come again, after a break or a restart of the receiver.",
        "withdrawn": "A client removed its upload.",
        "expired": "An upload was removed since nothing came for too long.",
        "refused": "A request was turned down.",
    ]
    static let members: [LineMember<Self>] = [
        .maybe("id", "Of the upload, here alone; absent of a request that was turned down.", \.id),
        .maybe(
            "name", "The path below the folder; of an upload that is not stored, as the client wishes.",
            \.name),
        .maybe("size", "Bytes, where they are known.", \.size),
        .maybe("kept", "Of interrupted: bytes that wait for the client.", \.kept),
        .maybe("status", "Of refused: the HTTP status of the answer.", as: .whole(100...599), \.status),
        .maybe("reason", "Of refused: why.", \.reason),
        .maybe("request", "Of refused: the method and the path; absent of a connection.", \.request),
        .maybe("offset", "Of resumed: the first byte that comes.", \.offset),
    ]
}
