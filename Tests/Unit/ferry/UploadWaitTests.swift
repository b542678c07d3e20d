import FerryTUI
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests how `ferry wait` reads the updates of a queue.
struct UploadWaitTests {
    private static func waiting(_ id: Upload.ID, after: ClosedRange<Upload.ID>) -> Upload {
        var upload = Upload.boxed(id)
        upload.start = .init(after: [after])
        return upload
    }

    /// Returns the uploads that each update ended.
    private func ends(_ chosen: [Upload.ID], _ updates: QueueUpdate...) throws -> [[String]] {
        var wait = UploadWait(.ids(chosen), past: { _ in [:] })
        return try updates.map { update in
            try wait.take(update).map { end in
                switch end {
                case .ended(let upload): "\(upload.state.kind) \(upload.id)"
                case .removed(let upload): "removed \(upload.id)"
                case .blocked(let blocked): "blocked \(blocked.upload.id) by \(blocked.blocker.id)"
                }
            }
        }
    }

    @Test func `a dependent is reported as blocked when its predecessor fails, and not by other changes`()
        throws
    {
        #expect(
            try ends(
                [2, 3], .whole([.boxed(1), Self.waiting(2, after: 1...1), Self.waiting(3, after: 2...2)]),
                .change([.boxed(1, .running, attempts: 1)]), .change([.boxed(1, .failed, attempts: 1)]))
                == [[], [], ["blocked 2 by 1", "blocked 3 by 2"]])
    }

    @Test func `an upload is blocked at the earliest when the whole change has arrived`() throws {
        var paused = Self.waiting(2, after: 1...1)
        paused.state = .paused(.user)
        var first = QueueUpdate.change([.boxed(1, .paused(.user))])
        first.isContinued = true
        #expect(
            try ends([1, 2], .whole([.boxed(1), Self.waiting(2, after: 1...1)]), first, .change([paused]))
                == [[], ["paused 1"], ["paused 2"]])
    }

    /// A script may delete its files once `ferry wait` has ended with 0, so `wait` must not end early.
    @Test func `a wait for an engine that is silent at first continues until its uploads have ended`() throws
    {
        var status = EngineStatus()
        status.contact = .silent(since: Date())
        var wait = UploadWait(.all, past: { _ in [:] })
        let ends = try wait.take(.change(status: status))
        #expect(ends.isEmpty)
        #expect(!wait.isOver)
    }

    @Test func `an upload that was done before it left the queue has ended`() throws {
        var wait = UploadWait(.ids([1, 2]), past: { $0.contains(1) ? [1: .boxed(1, .done)] : [:] })
        let ends = try wait.take(.whole([.boxed(2, .done)]))
        #expect(ends == [.ended(.boxed(1, .done)), .ended(.boxed(2, .done))])
        #expect(wait.isOver && wait.areAllDone)
    }

    @Test func `an upload of the batch that is done already is reported too`() throws {
        var done = Upload.boxed(1, .done)
        done.batch = "day"
        var wait = UploadWait(.batch("day"), past: { _ in [:] })
        let ends = try wait.take(.whole([done, .boxed(2)]))
        #expect(ends == [.ended(done)])
        #expect(wait.isOver && wait.areAllDone)
    }

    @Test func `a number that never was is an error`() throws {
        var wait = UploadWait(.ids([1, 9]), past: { $0.contains(1) ? [1: .boxed(1, .done)] : [:] })
        let failure = #expect(throws: CommandFailure.self) { try wait.take(.whole([.boxed(2)])) }
        #expect(failure?.summary.contains("9") == true && failure?.summary.contains("1,") == false)
    }

    @Test func `a dependent of an upload that failed earlier is blocked at once`() throws {
        #expect(
            try ends([2], .whole([.boxed(1, .failed), Self.waiting(2, after: 1...1)]))
                == [["blocked 2 by 1"]])
    }

    @Test func `a failure of one that nothing starts after blocks nothing`() throws {
        #expect(
            try ends(
                [4], .whole([.boxed(1), .boxed(2), .boxed(3, .failed), Self.waiting(4, after: 1...2)]),
                .change([.boxed(2, .done)]), .change([.boxed(3, .failed)]), .change([.boxed(1, .failed)]))
                == [[], [], [], ["blocked 4 by 1"]])
    }

    @Test func `one of the chosen that fails blocks another of them`() throws {
        #expect(
            try ends(
                [1, 2, 3], .whole([.boxed(1), Self.waiting(2, after: 1...1), .boxed(3)]),
                .change([.boxed(3, .done), .boxed(1, .held)]))
                == [[], ["held 1", "done 3", "blocked 2 by 1"]])
    }

    @Test func `removed uploads are reported, one by one or all at once`() throws {
        #expect(
            try ends([1, 2], .whole([.boxed(1), .boxed(2)]), .change(removed: [1]), .whole([]))
                == [[], ["removed 1"], ["removed 2"]])
    }

    @Test func `however many numbers an upload starts after, a line has few of them`() {
        let after = UploadRecordLine(event: "state", Self.waiting(1 << 53, after: 3...(1 << 53) - 1)).after
        #expect(after == Array(3..<3 + UploadRecordLine.longestAfter))
    }
}
