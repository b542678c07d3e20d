import FerryUploads
import Synchronization
import Testing

@testable import FerryTUI

@Suite struct MailboxTests {
    private func update(
        _ changed: [Upload], removed: [Upload.ID] = [], isComplete: Bool = false
    ) -> Message {
        .queue(
            QueueUpdate(isComplete: isComplete, changed: changed, removed: removed, status: EngineStatus()))
    }

    @Test func `changes of one upload merge to the last`() {
        let mailbox = Mailbox(wake: {})
        for _ in 0..<1000 { mailbox.post(update([.make(1), .make(2, state: .running)])) }
        mailbox.post(update([.make(1, state: .done)], removed: [3]))
        let update = mailbox.drain().update
        #expect(update?.changed.count == 2)
        #expect(update?.changed.first { $0.id == 1 }?.state == Upload.State.done)
        #expect(update?.removed == [3])
        #expect(mailbox.drain().isEmpty)
    }

    @Test func `a complete update replaces what waits, and later changes go into it`() {
        let mailbox = Mailbox(wake: {})
        mailbox.post(update([.make(1)]))
        mailbox.post(update([.make(2), .make(3)], isComplete: true))
        mailbox.post(update([.make(3, state: .running)], removed: [2]))
        var table = UploadTable()
        if let update = mailbox.drain().update { table.apply(update) }
        #expect(table.rows(in: .all).map(\.id) == [3])
        #expect(table.running == [3])
    }

    @Test func `an upload that is put back before its removal was read is there`() {
        let mailbox = Mailbox(wake: {})
        mailbox.post(update([.make(1), .make(2)], isComplete: true))
        mailbox.post(update([], removed: [1]))
        mailbox.post(update([.make(1)]))
        var table = UploadTable()
        if let update = mailbox.drain().update { table.apply(update) }
        #expect(table.rows(in: .all).map(\.id) == [1, 2])
    }

    @Test func `the thread is woken once however much is posted`() {
        let wakes = Mutex(0)
        let mailbox = Mailbox(wake: { wakes.withLock { $0 += 1 } })
        for id in 1...100 { mailbox.post(update([.make(id)])) }
        mailbox.post(.queueEnded)
        mailbox.close()
        #expect(wakes.withLock { $0 } == 1)
        #expect(mailbox.drain().isClosed)
        mailbox.post(.queueEnded)
        #expect(wakes.withLock { $0 } == 2)
    }
}
