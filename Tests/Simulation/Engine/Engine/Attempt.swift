import FerryProtocols
import FerryTransfer
import FerryUploads

/// One attempt at an upload: a real protocol value, and where its driver stands.
struct Attempt {
    enum Phase {
        /// Waits until it is written down that the upload runs.
        case saving
        /// Writes down what the step notes, one after the other.
        case noting(Step, left: ArraySlice<Step.Note>)
        /// Waits for one of its requests to end.
        case flying
        /// Has the server delete what it holds of a file that changed.
        case forgetting([Exchange])
        /// Takes back a mark before it ends.
        case ending(UploadAttempt.Outcome)
    }

    /// An exchange that has ended.
    struct Ending {
        var flight: Int
        var exchange: Exchange
        var reply: ExchangeOutcome
    }

    /// A protocol may make so many requests without moving.
    static let idleLimit = 128

    let upload: Upload
    let run: Int
    let site: Int
    var uploadProtocol: any UploadProtocol
    var phase = Phase.saving
    /// The resource that was last noted.
    var known: UploadResource?
    /// Its requests under way.
    var flights: Set<Int> = []
    var endings: [Ending] = []
    var idleExchanges = 0
    /// Bytes that went out, of this attempt and those before it.
    var totals: SentTotals
    /// The value of `reached` when a request last began or moved.
    var shown: ByteCount
    /// A mark that says too much was released with its request.
    var hasVainMark = false
    /// The instant at which bytes last went out.
    var moved: Int64?
    var carriesAll = false
    /// The last response that asked for a pause.
    var askedPause: (status: Int, seconds: Double)?

    init(
        _ upload: Upload, run: Int, site: Int, resource: UploadResource?, _ uploadProtocol: any UploadProtocol
    ) {
        self.upload = upload
        self.run = run
        self.site = site
        self.uploadProtocol = uploadProtocol
        known = resource
        totals = SentTotals(confirmed: resource?.confirmed ?? 0)
        shown = totals.reached
    }

    /// A request has sent so many bytes of the file.
    mutating func moved(_ bytes: ByteCount, by flight: Int, at time: Int64) {
        totals.record(bytes, of: flight)
        shown = totals.reached
        moved = time
    }

    /// The number of the upload's file.
    var file: Int { Int(upload.identity.inode) }
}
