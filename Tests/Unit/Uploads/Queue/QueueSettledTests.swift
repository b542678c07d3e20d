import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests adding files from watched folders, which come to the queue when they are complete.
struct QueueSettledTests {
    private let path = LocalPath("/out/a.mov")

    private func new(_ version: Int, named name: String = "a.mov") -> NewUpload {
        NewUpload(
            path: LocalPath("/out/" + name),
            identity: FileIdentity(
                device: 1, inode: 1, size: Int64(version), modified: Int64(version), changed: Int64(version)),
            target: .init(destination: "box", url: "http://host.test/", protocolName: "tus", name: name))
    }

    private func upload(_ new: NewUpload, _ state: Upload.State) -> Upload {
        var upload = Upload.make(1, state: state)
        (upload.path, upload.identity, upload.target) = (new.path, new.identity, new.target)
        return upload
    }

    private static let changed = UploadFailure(.sourceChanged, "edited")

    @Test func `a new file is added and starts`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        #expect(try await fixture.queue.takeSettled([new(1), new(1, named: "b")]) == [.added(1), .added(2)])
        #expect(try await fixture.runner.next().upload.identity == new(1).identity)
    }

    @Test func `the same version is not added again, done or not`() async throws {
        for state in [Upload.State.paused(.user), .done(Receipt(bytes: 1), at: .distantPast)] {
            let fixture = QueueFixture([upload(new(1), state)])
            try await fixture.queue.start(monitor: nil)
            #expect(try await fixture.queue.takeSettled([new(1)]) == [.known(1)])
            #expect(fixture.journal.uploads.count == 1)
        }
    }

    @Test func `a done version with another device, mode or owner is the same`() async throws {
        var again = new(1)
        again.identity.device = 9
        again.identity.changed = 9
        let fixture = QueueFixture([upload(new(1), .done(Receipt(bytes: 1), at: .distantPast))])
        try await fixture.queue.start(monitor: nil)
        #expect(try await fixture.queue.takeSettled([again]) == [.known(1)])
    }

    @Test(arguments: [
        Upload.State.held(changed), .failed(changed), .failed(UploadFailure(.permanent, "no", status: 403)),
        .paused(.user), .waiting(until: .distantFuture, failure: UploadFailure(.network, "gone")),
    ])
    func `an upload that had not arrived takes the new version`(state: Upload.State) async throws {
        var earlier = upload(new(1), state)
        earlier.tries.server = 3
        let fixture = QueueFixture([earlier])
        try await fixture.queue.start(monitor: nil)
        #expect(try await fixture.queue.takeSettled([new(2)]) == [.renewed(1)])
        let renewed = try #require(fixture.journal.uploads[1])
        #expect(renewed.identity == new(2).identity)
        #expect(renewed.tries.server == 0)
        #expect(renewed.key != upload(new(1), state).key)
        if case .paused = state {
            #expect(renewed.state == state)
        } else {
            #expect(try await fixture.runner.next().upload.identity == new(2).identity)
        }
    }

    @Test func `the server's data of the old version is deleted`() async throws {
        var held = upload(new(1), .held(Self.changed))
        held.resource = UploadResource(url: "http://host.test/1")
        let fixture = QueueFixture([held])
        try await fixture.queue.start(monitor: nil)
        #expect(try await fixture.queue.takeSettled([new(2)]) == [.renewed(1)])
        try await fixture.until { _ in fixture.runner.discarded == [1] }
        #expect(fixture.journal.uploads[1]?.resource == nil)
    }

    @Test func `a running upload notices the change itself, and a held one waits`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        _ = try await fixture.queue.takeSettled([new(1)])
        _ = try await fixture.runner.next()
        #expect(try await fixture.queue.takeSettled([new(2)]) == [.known(1)])
        let unknown = Upload.State.held(UploadFailure(.outcomeUnknown, "no answer"))
        let other = QueueFixture([upload(new(1), unknown)])
        try await other.queue.start(monitor: nil)
        #expect(try await other.queue.takeSettled([new(2)]) == [.known(1)])
    }

    @Test func `a watched file that changes during its upload is held, whatever whenFileChanges says`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let file = LocalPath(try directory.write([1], to: "a"))
        var new = new(1)
        (new.path, new.identity) = (file, try SourceFile.identity(at: file))
        let fixture = QueueFixture(retry: .init(whenFileChanges: .restart))
        try await fixture.queue.start(monitor: nil)
        _ = try await fixture.queue.takeSettled([new])
        let attempt = try await fixture.runner.next()
        try directory.write([1, 2], to: "a")
        attempt.fail(.sourceChanged)
        let held = try await fixture.wait(for: 1) { $0.isHeld }
        #expect(held.identity == new.identity)
    }

    @Test func `a watched file that changes is held also if an earlier engine queued it`() async throws {
        let directory = try TemporaryDirectory()
        let file = LocalPath(try directory.write([1], to: "a"))
        var earlier = upload(new(1), .queued)
        (earlier.path, earlier.identity) = (file, try SourceFile.identity(at: file))
        let fixture = QueueFixture([earlier], retry: .init(whenFileChanges: .restart))
        await fixture.queue.leaveChanges(of: [file])
        try await fixture.queue.start(monitor: nil)
        let attempt = try await fixture.runner.next()
        try directory.write([1, 2], to: "a")
        attempt.fail(.sourceChanged)
        #expect(try await fixture.wait(for: 1) { $0.isHeld }.identity == earlier.identity)
    }

    @Test func `a missing file is added once while another version is written down`() async throws {
        let fixture = QueueFixture([upload(new(1), .held(Self.changed))])
        try await fixture.queue.start(monitor: nil)
        let missing = new(1, named: "b")
        let gate = Gate()
        fixture.journal.gate = gate
        let settled = Task { [new = new(2)] in try await fixture.queue.takeSettled([new, missing]) }
        try await fixture.until {
            !$0.core.transactions.pendingAdds.isEmpty || $0.core.unconfirmed.isInFlight(1)
        }
        #expect(await fixture.queue.perform(.addMissing([missing])) == .changed([]))
        gate.open()
        #expect(try await settled.value == [.renewed(1), .added(2)])
        #expect(fixture.journal.uploads.count == 2)
    }

    @Test func `files that are gone are not watched any more, except those that are queued`()
        async throws
    {
        let sent = upload(new(1), .done(Receipt(bytes: 1), at: .distantPast))
        let fixture = QueueFixture([sent])
        try await fixture.queue.start(monitor: nil)
        _ = try await fixture.queue.takeSettled([new(1), new(1, named: "b")])
        await fixture.queue.forgetChanges(of: [new(1).path, new(1, named: "b").path])
        #expect(await fixture.queue.core.index.watchedFiles == [new(1, named: "b").path])
        await fixture.queue.forgetChanges(of: [new(1, named: "b").path], evenQueued: true)
        #expect(await fixture.queue.core.index.watchedFiles == [])
    }

    @Test func `the index lists the uploads of a path that are there now`() {
        let all = (1...3).map { Upload.make($0) }
        let same = all.map { upload in
            var upload = upload
            upload.path = path
            return upload
        }
        var index = UploadsByPath(same)
        #expect(index[path] == [1, 2, 3])
        index.remove(same[0])
        #expect(index[path] == [2, 3])
        for upload in same { index.remove(upload) }
        #expect(index[path] == [])
    }

    @Test func `a file that the disk refuses is not added`() async throws {
        let fixture = QueueFixture()
        try await fixture.queue.start(monitor: nil)
        fixture.journal.refusal = .failed(call: "write", path: "/state", code: 28)
        await #expect(throws: UploadFailure.self) { try await fixture.queue.takeSettled([new(1)]) }
        fixture.journal.refusal = nil
        #expect(try await fixture.queue.takeSettled([new(1)]).count == 1)
    }
}
