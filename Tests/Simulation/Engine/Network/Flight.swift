import FerryProtocols
import FerryUploads

/// A request under way.
struct Flight {
    enum Stage {
        case connecting
        case sending
        /// The request waits until its mark is on disk. Only then may it send its last bytes.
        case marking
        /// The whole request is sent, and the response has not arrived.
        case waiting
        /// The request has ended, and its mark is being removed.
        case ended
    }

    /// The reason why the request is made.
    enum Purpose: Equatable {
        case attempt(run: Int)
        /// The attempt deletes an upload resource at the server.
        case forgetting(run: Int)
        /// The queue deletes an upload resource at the server. No attempt waits for the response.
        case discard
    }

    let owner: Upload.ID
    let life: Int
    let purpose: Purpose
    let site: Int
    let exchange: Exchange
    let file: Int
    /// The version of the file when it was added to the queue.
    let version: Int64
    /// The link's generation of addresses when the connection was made.
    let generation: Int
    var stage = Stage.connecting
    /// The number of bytes of the body that were sent.
    var sent: ByteCount = 0
    /// The part of the file that was sent and has not arrived.
    var inTransit = Content()
    var isMarked = false
    /// True if the attempt is over. Bytes that were sent may still arrive.
    var isAbandoned = false
    /// True while no packets get through to the server.
    var isBlocked = false
    /// The number of the current planned event. Planned events with other numbers are ignored.
    var plan = 0

    var length: ByteCount { exchange.contentLength }
    var isWhole: Bool { sent >= length }
}
