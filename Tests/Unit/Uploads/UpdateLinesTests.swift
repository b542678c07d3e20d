import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests the lines in which updates are sent to other processes.
struct UpdateLinesTests {
    private func roundTrip(_ update: QueueUpdate) throws -> QueueUpdate {
        var lines = try UpdateLines.text(of: update).split(separator: 0x0A, omittingEmptySubsequences: false)
        #expect(lines.removeLast().isEmpty)
        let head = try UpdateLines.head(lines.removeFirst())
        #expect(head.count == lines.count)
        var reader = UpdateLines.RecordReader()
        let changed = try lines.map { line in
            try Array(line).withUnsafeBufferPointer { try reader.upload($0) }
        }
        return head.update(changed: changed)
    }

    private static let hostile = UploadFailure(
        .server, "line\nbreak\u{2028}\"quote\u{1b}[31m", hint: "h\r\n", status: 503, retryAfter: 1.5)

    private static let limits = [
        BandwidthLimit(.total, .atMost(.max), origin: .timetable, until: Date(timeIntervalSince1970: 9)),
        BandwidthLimit(.destination("a\n\"b"), .unlimited, origin: .command),
        BandwidthLimit(.batch(""), .atMost(1)),
    ]

    @Test func `everything that an update says arrives`() throws {
        let uploads: [Upload] = [
            .make(1, state: .running(attempt: 2, since: Date(timeIntervalSince1970: 1.25))),
            .make(2, state: .paused([.user, .offline])),
            .make(3, state: .held(Self.hostile)),
        ]
        let status = EngineStatus(
            network: .offline(since: Date(timeIntervalSince1970: 5), reason: "no\naddress"),
            limits: Self.limits, concurrency: 7, storage: .refusing, notice: Self.hostile)
        let update = QueueUpdate(
            isComplete: true, changed: uploads, removed: [4, 5], status: status, isContinued: true)
        let arrived = try roundTrip(update)
        #expect(arrived.isComplete)
        #expect(arrived.changed == uploads)
        #expect(arrived.removed == [4, 5])
        #expect(arrived.isContinued)
        #expect(arrived.status == status)
    }

    @Test func `an update of nothing is one line`() throws {
        let update = QueueUpdate(isComplete: false, changed: [], removed: [], status: EngineStatus())
        #expect(try UpdateLines.text(of: update).count { $0 == 0x0A } == 1)
        #expect(try roundTrip(update).changed.isEmpty)
    }

    @Test func `a line that is no record is refused`() {
        var reader = UpdateLines.RecordReader()
        #expect(throws: (any Error).self) {
            try Array("{\"id\":1}".utf8).withUnsafeBufferPointer { try reader.upload($0) }
        }
    }
}
