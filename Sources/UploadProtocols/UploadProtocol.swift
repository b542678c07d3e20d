/// How bytes reach a server, without a socket, a file or a clock: replies in, steps out.
///
/// One value serves one attempt. The driver calls `start`, performs what the step asks, and calls `receive` with what
/// came of it, until a step ends the attempt.
public protocol UploadProtocol: Sendable {
    /// The name in the configuration: `put`, `tus`, …
    static var name: String { get }
    /// What it can do, the same for every upload.
    static var traits: ProtocolTraits { get }

    /// - Parameter resource: What an earlier attempt was given to go on with, as last noted.
    /// - Parameter capabilities: What this server is known to offer; nil if nobody has asked it yet.
    mutating func start(resource: Resource?, capabilities: ServerCapabilities?) -> Step

    /// Takes what came of the exchange of the last step.
    mutating func receive(_ reply: Reply) -> Step

    /// The request that deletes what the server holds of an unfinished upload; nil if there is no such request.
    func removal(of resource: Resource) -> Exchange?
}

/// What a protocol can and cannot do, as far as the queue and the screen must know.
public struct ProtocolTraits: Hashable, Sendable {
    /// True if an interrupted upload goes on at the byte where the server stopped; false if it starts again.
    public var resumes: Bool

    public init(resumes: Bool) { self.resumes = resumes }
}

/// What the driver must do next.
public enum Step: Sendable {
    /// Take the notes, in order, then perform the exchange and report what came of it.
    case send(Exchange, notes: [Note] = [])
    case done(Receipt, notes: [Note] = [])
    case failed(UploadFailure, notes: [Note] = [])

    /// What has to be remembered before the step is carried out.
    public enum Note: Sendable, Hashable {
        /// What to resume with from now on; nil if it is gone. A new address must be durable before anything is sent.
        case resource(Resource?)
        /// What the server offers: asked once, then kept for the destination.
        case capabilities(ServerCapabilities)
        /// The server holds fewer bytes than it had acknowledged.
        case serverLost(ByteCount)
    }
}

/// What a server said it offers.
public struct ServerCapabilities: Hashable, Codable, Sendable {
    /// The extensions' names, lower case.
    public var extensions: Set<String>
    /// The largest upload it takes, in bytes.
    public var maximumSize: ByteCount?

    public init(extensions: Set<String> = [], maximumSize: ByteCount? = nil) {
        self.extensions = extensions
        self.maximumSize = maximumSize
    }
}

/// What is to be uploaded, as far as a protocol must know.
public struct UploadItem: Hashable, Sendable {
    /// The address of the destination, absolute.
    public var url: String
    /// The name the file gets at the server.
    public var name: String
    /// Bytes of the file.
    public var size: ByteCount
    /// The media type.
    public var contentType: String
    /// The same for every attempt at this upload, different for any other: the idempotency key.
    public var key: String
    /// Form parameters or metadata, in order; a repeated name is a list.
    public var parameters: [Parameter]

    /// A field of the form, or an entry of the metadata.
    public struct Parameter: Hashable, Codable, Sendable {
        /// Any text; tus takes ASCII without spaces and commas.
        public var name: String
        /// Any text.
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(
        url: String, name: String, size: ByteCount, contentType: String = "application/octet-stream",
        key: String,
        parameters: [Parameter] = []
    ) {
        self.url = url
        self.name = name
        self.size = size
        self.contentType = contentType
        self.key = key
        self.parameters = parameters
    }
}

/// How a destination wants a protocol used.
public struct ProtocolOptions: Hashable, Sendable {
    /// Another request method than the protocol's own, for `put`, `post` and `form`.
    public var method: String?
    /// The form field that carries the file.
    public var fileField: String
    /// True if the server honours `Idempotency-Key`, so that a POST without an answer may be repeated.
    public var sendsIdempotencyKey: Bool
    /// The most bytes of the file in one request; nil sends all the rest in one.
    public var chunkSize: ByteCount?

    public init(
        method: String? = nil, fileField: String = "file", sendsIdempotencyKey: Bool = false,
        chunkSize: ByteCount? = nil
    ) {
        self.method = method
        self.fileField = fileField
        self.sendsIdempotencyKey = sendsIdempotencyKey
        self.chunkSize = chunkSize
    }
}
