import FerryProtocols
import FerryTransfer
import FerryUploads

/// An attempt at one upload: the real protocol value, and the state of the simulation code that drives it.
struct Attempt {
    enum Phase {
        /// The attempt waits until the journal has recorded that the upload runs.
        case saving
        /// The notes of the step are recorded one after another. `left` are those not yet recorded.
        case noting(Step, left: ArraySlice<Step.Note>)
        /// The attempt waits for the end of one of its requests.
        case flying
        /// The file changed, so the attempt sends requests that delete the upload resource at the server.
        case forgetting([Exchange])
        /// The attempt removes a mark from the journal before it ends.
        case ending(UploadAttempt.Outcome)
    }

    /// The end of a request, with the response or the error.
    struct Ending {
        var flight: Int
        var exchange: Exchange
        var reply: ExchangeOutcome
    }

    /// The number of requests without progress after which the attempt fails.
    static let idleLimit = 128

    let upload: Upload
    let run: Int
    let site: Int
    var uploadProtocol: any UploadProtocol
    var phase = Phase.saving
    /// The upload resource of the protocol's last note.
    var known: UploadResource?
    /// The numbers of the attempt's requests under way.
    var flights: Set<Int> = []
    var endings: [Ending] = []
    var idleExchanges = 0
    /// The bytes that this attempt and the earlier ones sent.
    var totals: SentTotals
    /// The value of `totals.reached` at the last start or progress of a request.
    var shown: ByteCount
    /// True if a request with a mark was released before its whole body was sent. The mark is wrong then.
    var hasVainMark = false
    /// The time at which the attempt last sent bytes; nil if it has sent none.
    var moved: Int64?
    var carriesAll = false
    /// The longest `Retry-After` that a response asked for, with the status of that response; nil if there was none.
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

    /// Records that the request `flight` has sent `bytes` bytes of the file in total.
    mutating func moved(_ bytes: ByteCount, by flight: Int, at time: Int64) {
        totals.record(bytes, of: flight)
        shown = totals.reached
        moved = time
    }

    /// The number of the upload's file, which the simulation stores as its inode.
    var file: Int { Int(upload.identity.inode) }
}
