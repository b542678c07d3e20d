import Testing

@testable import FerryUploads

/// Tests notices about other things than uploads, which the queue's status contains.
struct QueueNoticeTests {
    private let fixture = QueueFixture()

    @Test func `notices reach those who follow, and the newest of them those who come later`() async throws {
        let queue = fixture.queue
        try await queue.start(monitor: nil)
        let updates = await queue.updates()
        for number in 1...12 { queue.tell(Notice(kind: .note, text: "\(number)")) }
        let newest = (3...12).map(String.init)
        try await fixture.until { $0.status.notices.map(\.notice.text) == newest }
        for await update in updates where update.status.notices.map(\.notice.text) == newest { break }
        await queue.stop()
    }

    @Test func `folders that are away are in the status for as long as they are`() async throws {
        let queue = fixture.queue
        try await queue.start(monitor: nil)
        await queue.setAwayFolders(["/media/card"])
        #expect(await queue.status.awayFolders == ["/media/card"])
        await queue.setAwayFolders([])
        #expect(await queue.status.awayFolders.isEmpty)
        await queue.stop()
    }
}
