import FerryFiles
import FerryUploads

/// A server that asked for a pause, as `--json` prints it.
struct RetryAfterPauseLine: Encodable {
    /// The event's name; nil inside another line.
    var event: String?
    var host: String
    var status: Int
    var until: Date
    /// The number of uploads that wait for the server.
    var waiting: Int

    init(event: String? = nil, _ pause: RetryAfterPause) {
        self.event = event
        (host, status, until, waiting) = (pause.host, pause.status, pause.until, pause.waiting)
    }
}
