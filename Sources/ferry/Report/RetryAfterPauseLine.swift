import FerryFiles
import FerryUploads

/// A server that asks to be left alone, as `--json` prints it.
struct RetryAfterPauseLine: Encodable {
    /// Nil where it is part of something else.
    var event: String?
    var host: String
    var status: Int
    var until: Date
    /// The number of uploads that wait for it.
    var waiting: Int

    init(event: String? = nil, _ pause: RetryAfterPause) {
        self.event = event
        (host, status, until, waiting) = (pause.host, pause.status, pause.until, pause.waiting)
    }
}
