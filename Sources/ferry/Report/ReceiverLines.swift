import FerryReceiver

/// The line of `ferry serve --json` at the start of the receiver, with its URLs, its folder and its token file.
struct ListeningLine: OutputLine {
    let url: String
    let tus: String
    let folder: String
    let tokenFile: String?

    static let events: KeyValuePairs = ["listening": "The receiver accepts uploads from now on."]
    static let members: LineMembers<Self> = [
        .always("url", "The URL below which clients PUT and POST.", \.url),
        .always("tus", "The URL at which clients create tus uploads.", \.tus),
        .always("folder", "The folder for the files, as given.", \.folder),
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
    private var client: String?
    private var omitted: Int?

    /// Creates the line about an event; nil for `received`, which is too frequent.
    ///
    /// - Parameter omitted: The number of refusals that were left out since the last printed one.
    init?(_ event: ReceiverEvent, omitted: Int = 0) {
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
        case .refused(let status, let reason, let request, let client):
            (self.event, self.status, self.reason) = ("refused", status, reason)
            self.request = request.isEmpty ? nil : request
            self.client = client.isEmpty ? nil : client
            self.omitted = omitted == 0 ? nil : omitted
        }
    }

    /// Creates the last line of the output: the number of refusals that were not printed.
    init(omitted: Int) { (event, self.omitted) = ("refused", omitted) }

    static let events: KeyValuePairs = [
        "begun": "A client began an upload.", "stored": "A file is stored durably.",
        "interrupted": "An upload stopped before its end, mostly because the client disconnected.",
        "resumed": "An upload continues after an interruption or a restart of the receiver.",
        "withdrawn": "A client removed its upload.",
        "expired": "The receiver removed an unfinished upload that no request used for too long.",
        "refused": "The receiver refused a request.",
    ]
    static let members: LineMembers<Self> = [
        .maybe("id", "The identifier of the upload at this receiver; absent for `refused`.", \.id),
        .maybe("name", "The path below the folder; until `stored`, as the client requested it.", \.name),
        .maybe("size", "The size in bytes, if it is known.", \.size),
        .maybe("kept", "The number of bytes stored for resuming (`interrupted` only).", \.kept),
        .maybe(
            "status", "The HTTP status of the response (`refused` only).", as: .whole(100...599), \.status),
        .maybe("reason", "The reason of the refusal (`refused` only).", \.reason),
        .maybe(
            "request", "The request's method and path (`refused` only); absent for a refused connection.",
            \.request),
        .maybe("offset", "The offset of the first byte that follows (`resumed` only).", \.offset),
        .maybe("client", "The client's address, or its /64 network for IPv6 (`refused` only).", \.client),
        .maybe(
            "omitted",
            "The number of refusals without a line since the line before, of any client and reason.",
            \.omitted),
    ]
}
