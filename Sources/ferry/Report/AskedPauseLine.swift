import FerryUploads
import Foundation

/// A server that asks to be left alone, as `--json` prints it.
struct AskedPauseLine: Encodable {
    /// Nil where it is part of something else.
    var event: String?
    var host: String
    var status: Int
    var until: Date
    /// How many uploads wait for it.
    var waiting: Int

    init(event: String? = nil, _ pause: AskedPause) {
        self.event = event
        (host, status, until, waiting) = (pause.host, pause.status, pause.until, pause.waiting)
    }
}
