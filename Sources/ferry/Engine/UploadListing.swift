import FerryFiles
import FerryProtocols
import FerryUploads

/// Uploads of the queue, in its sequence. Those of an engine arrive in pages, so that the first ones can be printed early.
struct UploadListing {
    typealias Pages = AsyncThrowingStream<[Upload], any Error>

    let count: Int
    let hasSeveralDestinations: Bool
    /// The progress of the running uploads, sampled before the uploads were read.
    let sent: SampledProgress
    /// The uploads, for one reader. Throws `CommandFailure` if the engine does not send all of them.
    let pages: Pages

    /// The number of uploads in a page.
    private static let pageSize = 1000

    init(_ uploads: [Upload]) {
        count = uploads.count
        hasSeveralDestinations = Set(uploads.map(\.target.destinationText)).count > 1
        sent = SampledProgress()
        let (pages, writer) = Pages.makeStream()
        if !uploads.isEmpty { writer.yield(uploads) }
        writer.finish()
        self.pages = pages
    }

    /// Reads `count` uploads from an engine, on a thread of their own: a slow reader of the command's output, such as a
    /// pager, must not block the engine.
    init(
        _ count: Int, hasSeveralDestinations: Bool, sent: SampledProgress,
        from connection: ControlClient.Connection
    ) {
        self.count = count
        self.hasSeveralDestinations = hasSeveralDestinations
        self.sent = sent
        let (pages, writer) = Pages.makeStream()
        self.pages = pages
        DetachedThread.start {
            var connection = connection
            for start in stride(from: 0, to: count, by: Self.pageSize) {
                guard let page = connection.uploads(min(Self.pageSize, count - start)) else {
                    return writer.finish(throwing: Self.incomplete(start, of: count))
                }
                writer.yield(page)
            }
            writer.finish()
        }
    }

    private static func incomplete(_ received: Int, of count: Int) -> CommandFailure {
        CommandFailure(
            inUse: "the engine ended after it had sent \(received) of \(count) uploads",
            hint: "`ferry list` shows all of them")
    }

    /// Waits for all uploads, and returns them.
    func all() async throws(CommandFailure) -> [Upload] {
        var uploads: [Upload] = []
        do {
            for try await page in pages { uploads += page }
        } catch {
            throw CommandFailure(of: error) ?? Self.incomplete(uploads.count, of: count)
        }
        return uploads
    }
}
