import NIOCore
import NIOPosix
import Synchronization
import UploadProtocols

/// Feeds one file body to a connection piece by piece: the next piece is read while the last one is on its way, and
/// nothing is read by the event loop.
///
/// On plaintext a piece is a file region, which the kernel sends from the page cache without a copy; TLS needs the
/// bytes, so a piece is a buffer there. Pieces start small and grow while the link takes them quickly, so that progress
/// is smooth on a slow link and a fast one is not held up.
final class BodyWriter: Sendable {
    typealias Write = @Sendable (IOData) -> EventLoopFuture<Void>

    private enum Size {
        static let smallest: ByteCount = 64 << 10
        static let largestRegion: ByteCount = 8 << 20
        static let largestBuffer: ByteCount = 1 << 20
        /// Below this, one read and one buffer cost less than a region.
        static let alwaysBuffered: ByteCount = 1 << 20
    }

    private struct State {
        var pieceSize = Size.smallest
        var offset: ByteCount
    }

    private let body: FileBody
    private let sendsRegions: Bool
    private let state: Mutex<State>

    init(_ body: FileBody, isEncrypted: Bool) {
        self.body = body
        let size = body.range.upperBound - body.range.lowerBound
        sendsRegions = !isEncrypted && size > Size.alwaysBuffered
        state = Mutex(State(offset: body.range.lowerBound))
    }

    /// Writes the whole body on `eventLoop`. The future ends when the last piece was taken, or with an `UploadFailure`.
    func run(on eventLoop: any EventLoop, write: @escaping Write) -> EventLoopFuture<Void> {
        let done = eventLoop.makePromise(of: Void.self)
        step(prepare(nextRange(), on: eventLoop), on: eventLoop, write: write, done: done)
        return done.futureResult
    }

    private struct Piece: Sendable {
        var range: Range<ByteCount>
        var data: IOData
    }

    /// Sends one prepared piece and goes on with the next; `done` is the only promise, however many pieces there are.
    private func step(
        _ prepared: EventLoopFuture<Piece>, on eventLoop: any EventLoop, write: @escaping Write,
        done: EventLoopPromise<Void>
    ) {
        prepared.flatMap { piece in
            self.clearance(for: piece, on: eventLoop).map { piece }
        }.whenComplete { result in
            switch result {
            case .failure(let error): done.fail(error)
            case .success(let piece):
                let started = NIODeadline.now()
                let isFirst = piece.range.lowerBound == self.body.range.lowerBound
                let isLast = piece.range.upperBound == self.body.range.upperBound
                if isFirst, !self.body.prefix.isEmpty {
                    write(.byteBuffer(ByteBuffer(bytes: self.body.prefix))).cascadeFailure(to: done)
                }
                let written = piece.range.isEmpty ? eventLoop.makeSucceededVoidFuture() : write(piece.data)
                if isLast {
                    guard !self.body.suffix.isEmpty else { return written.cascade(to: done) }
                    written.flatMap { write(.byteBuffer(ByteBuffer(bytes: self.body.suffix))) }.cascade(to: done)
                    return
                }
                let following = self.prepare(self.nextRange(), on: eventLoop)
                written.whenComplete { result in
                    switch result {
                    case .failure(let error): done.fail(error)
                    case .success:
                        self.adapt(to: NIODeadline.now() - started)
                        self.step(following, on: eventLoop, write: write, done: done)
                    }
                }
            }
        }
    }

    /// Waits for what stands before a piece: the bandwidth limit and, before the last one, the caller's check.
    private func clearance(for piece: Piece, on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let isLast = piece.range.upperBound == body.range.upperBound
        let delay = body.pace?.delay(beforeSending: ByteCount(piece.range.count)) ?? .zero
        let paced =
            delay > .zero
            ? eventLoop.scheduleTask(in: TimeAmount(delay)) {}.futureResult : eventLoop.makeSucceededVoidFuture()
        guard isLast, let check = body.beforeLastBytes else { return paced }
        return paced.flatMap { eventLoop.makeFutureWithTask { try await check() } }
    }

    private func nextRange() -> Range<ByteCount> {
        let pieceLimit = body.pace?.pieceLimit
        return state.withLock { state in
            let size = min(state.pieceSize, pieceLimit ?? .max)
            let end = min(body.range.upperBound, state.offset + max(1, size))
            defer { state.offset = end }
            return state.offset..<end
        }
    }

    /// A piece should take about 50 ms: long enough to be cheap, short enough to show movement.
    private func adapt(to elapsed: TimeAmount) {
        state.withLock { state in
            if elapsed < .milliseconds(25) {
                state.pieceSize = min(state.pieceSize * 2, sendsRegions ? Size.largestRegion : Size.largestBuffer)
            } else if elapsed > .milliseconds(150) {
                state.pieceSize = max(state.pieceSize / 2, Size.smallest)
            }
        }
    }

    /// Checks the file and reads the piece, or brings it into the page cache, on the thread pool.
    private func prepare(_ range: Range<ByteCount>, on eventLoop: any EventLoop) -> EventLoopFuture<Piece> {
        let (file, identity, sendsRegions) = (body.file, body.identity, sendsRegions)
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
            try file.check(identity)
            if sendsRegions {
                try file.warm(range)
                let region = FileRegion(
                    fileHandle: file.handle, readerIndex: Int(range.lowerBound), endIndex: Int(range.upperBound))
                return Piece(range: range, data: .fileRegion(region))
            }
            var buffer = ByteBufferAllocator().buffer(capacity: range.count)
            _ = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { space in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(range.count)), at: range.lowerBound)
                return range.count
            }
            return Piece(range: range, data: .byteBuffer(buffer))
        }
    }
}
