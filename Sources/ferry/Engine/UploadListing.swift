import FerryFiles
import FerryProtocols
import FerryTUI
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
    private let largestID: Upload.ID

    /// The maximum number of uploads in a page of an engine.
    private static let pageSize = 500

    init(_ uploads: [Upload]) {
        count = uploads.count
        largestID = uploads.lazy.map(\.id).max() ?? 0
        hasSeveralDestinations = Set(uploads.map(\.target.destinationText)).count > 1
        sent = SampledProgress()
        let (pages, writer) = Pages.makeStream()
        if !uploads.isEmpty { writer.yield(uploads) }
        writer.finish()
        self.pages = pages
    }

    /// Reads `count` uploads from an engine. Returns nil if the first page does not arrive.
    ///
    /// The other pages are read on a thread of their own. A slow reader of the command's output, such as a pager, then
    /// does not block the engine.
    init?(
        _ count: Int, largestID: Upload.ID?, hasSeveralDestinations: Bool, sent: SampledProgress,
        from connection: ControlClient.Connection
    ) {
        var connection = connection
        guard let first = connection.uploads(min(Self.pageSize, count)) else { return nil }
        self.count = max(0, count)
        self.largestID = largestID ?? count
        self.hasSeveralDestinations = hasSeveralDestinations
        self.sent = sent
        let (pages, writer) = Pages.makeStream()
        self.pages = pages
        if !first.isEmpty { writer.yield(first) }
        guard count > first.count else {
            writer.finish()
            return
        }
        let rest = connection
        DetachedThread.start {
            var (connection, arrived) = (rest, first.count)
            while arrived < count {
                let wanted = min(Self.pageSize, count - arrived)
                let page = connection.page(wanted)
                writer.yield(page)
                arrived += page.count
                guard page.count == wanted else {
                    return writer.finish(throwing: Self.incomplete(arrived, of: count))
                }
            }
            writer.finish()
        }
    }

    /// Returns a table for `rows`, which are those of the first page.
    func table(_ rows: [ListTable.Row], columns: Int, isUnicode: Bool) -> ListTable {
        let rest = ListTable.Rest(
            largestNumber: largestID, hasSeveralDestinations: hasSeveralDestinations)
        return ListTable(
            rows, before: count > rows.count ? rest : nil, columns: columns, isUnicode: isUnicode)
    }

    private static func incomplete(_ arrived: Int, of count: Int) -> CommandFailure {
        CommandFailure(
            inUse: "the list is incomplete: \(arrived) of \(count) uploads arrived from the engine",
            hint: "`ferry list` again lists them all, also without an engine")
    }
}
