import FerryProtocols
import FerryUploads

/// A request that is under way.
struct Flight {
    enum Stage {
        case connecting
        case sending
        /// The mark must be on disk before the last bytes go.
        case marking
        /// The whole request is out.
        case waiting
        /// The request has ended, and its mark is being removed.
        case ended
    }

    /// The reason why the request is made.
    enum Purpose: Equatable {
        case attempt(run: Int)
        /// The attempt has the server forget what it holds.
        case forgetting(run: Int)
        /// No attempt waits for the response.
        case discard
    }

    let owner: Upload.ID
    let life: Int
    let purpose: Purpose
    let site: Int
    let exchange: Exchange
    let file: Int
    /// The version of the file that was queued.
    let version: Int64
    /// The generation of addresses that its connection is bound to.
    let generation: Int
    var stage = Stage.connecting
    /// Bytes of the body that have left.
    var sent: ByteCount = 0
    /// Bytes of the file that have left and have not arrived.
    var inTransit = Content()
    var isMarked = false
    /// The attempt is over, and what was sent may still arrive.
    var isAbandoned = false
    /// True while no packet gets through.
    var isBlocked = false
    /// The number of the plan that counts; others are out of date.
    var plan = 0

    var length: ByteCount { exchange.contentLength }
    var isWhole: Bool { sent >= length }
}
