import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests how the queue handles changed files.
struct QueueFileChangeTests {
    private let folder: TemporaryDirectory
    private let path: LocalPath

    init() throws {
        folder = try TemporaryDirectory()
        path = LocalPath(try folder.write([1], to: "in/a.bin"))
    }

    private func upload(_ id: Upload.ID = 1, state: Upload.State = .queued, resource: UploadResource? = nil)
        throws
        -> Upload
    {
        var upload = Upload.make(id, state: state, resource: resource)
        upload.path = path
        upload.identity = try SourceFile.identity(at: path)
        return upload
    }

    private func rewrite(_ size: Int) throws {
        _ = try folder.write(Array(repeating: 2, count: size), to: "in/a.bin")
    }

    @Test func `F1 a changed file is held unless something else is configured`() async throws {
        let fixture = QueueFixture([try upload()])
        try await fixture.queue.start(monitor: nil)
        let attempt = try await fixture.runner.next()
        try rewrite(5)
        attempt.fail(.sourceChanged)
        let held = try await fixture.wait(for: 1) { $0.isHeld }
        #expect(held.tries.changes == 0)
        #expect(held.size == 1)
    }

    @Test func `F1 a changed file begins anew at once where that is configured, three times and no more`()
        async throws
    {
        let fixture = QueueFixture([try upload()], retry: .init(whenFileChanges: .restart))
        try await fixture.queue.start(monitor: nil)
        for change in 1...3 {
            let attempt = try await fixture.runner.next()
            #expect(fixture.journal.uploads[1]?.size == ByteCount(change == 1 ? 1 : 10 * (change - 1)))
            try await attempt.recorder.record(
                UploadResource(url: "http://host.test/\(change)"), durably: true)
            try rewrite(10 * change)
            try await attempt.recorder.record(nil, durably: true)
            attempt.fail(.sourceChanged)
            try await fixture.until { $0.core.uploads[1]?.tries.changes == change }
        }
        let attempt = try await fixture.runner.next()
        #expect(attempt.upload.size == 30)
        #expect(attempt.upload.resource == nil)
        try rewrite(40)
        attempt.fail(.sourceChanged)
        let held = try await fixture.wait(for: 1) { $0.isHeld }
        guard case .held(let failure) = held.state else { return }
        #expect(failure.summary == "as scripted (4 changes)")
        #expect(fixture.runner.discarded.isEmpty)
    }

    @Test func `F1 data that could not be deleted at the server is deleted when the new version begins`()
        async throws
    {
        let fixture = QueueFixture([try upload()], retry: .init(whenFileChanges: .restart))
        try await fixture.queue.start(monitor: nil)
        let attempt = try await fixture.runner.next()
        try await attempt.recorder.record(UploadResource(url: "http://host.test/1"), durably: true)
        try rewrite(5)
        attempt.fail(.sourceChanged)
        #expect(try await fixture.runner.next().upload.resource == nil)
        await fixture.queue.stop()
        #expect(fixture.runner.discarded == [1])
    }

    @Test func `F4 a file that is gone is no new version`() async throws {
        let fixture = QueueFixture([try upload()], retry: .init(whenFileChanges: .restart))
        try await fixture.queue.start(monitor: nil)
        let attempt = try await fixture.runner.next()
        #expect(unlink(path.text) == 0)
        attempt.fail(.sourceChanged)
        _ = try await fixture.wait(for: 1) { $0.isHeld }
    }

    @Test func `F1 a retry takes the file as it is and forgets what the server has`() async throws {
        let resource = UploadResource(url: "http://host.test/1", confirmed: 1)
        let fixture = QueueFixture([
            try upload(state: .held(UploadFailure(.sourceChanged, "changed")), resource: resource)
        ])
        try await fixture.queue.start(monitor: nil)
        try rewrite(7)
        _ = await fixture.queue.perform(.retry(.ids([1])))
        let attempt = try await fixture.runner.next()
        #expect(attempt.upload.size == 7)
        #expect(attempt.upload.resource == nil)
        #expect(attempt.upload.tries.changes == 1)
        await fixture.queue.stop()
        #expect(fixture.runner.discarded == [1])
    }

    private func putLinkInPlace() throws {
        try folder.write([3], to: "out/a.bin")
        #expect(rename(folder.path("in"), folder.path("kept")) == 0)
        #expect(symlink("out", folder.path("in")) == 0)
    }

    @Test func `F14 a retry does not follow a link that came into the way, and says what to do`() async throws
    {
        let held = UploadFailure(.sourceChanged, "changed")
        let fixture = QueueFixture([try upload(state: .held(held)), try upload(2, state: .held(held))])
        try await fixture.queue.start(monitor: nil)
        try putLinkInPlace()
        guard case .refused(let failure) = await fixture.queue.perform(.retry(.ids([1]))) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.summary.contains("is a symbolic link now and leads to \(folder.path("out"))"))
        #expect(failure.hint == "remove it and add it again if that is meant")
        #expect(await fixture.queue.core.uploads[1]?.state == .held(held))
    }

    @Test func `F14 trying all again leaves out what a link is in the way of`() async throws {
        let held = UploadFailure(.sourceChanged, "changed")
        var other = try upload(2, state: .held(held))
        other.path = LocalPath(try folder.write([1], to: "b.bin"))
        let fixture = QueueFixture([try upload(state: .held(held)), other])
        try await fixture.queue.start(monitor: nil)
        try putLinkInPlace()
        #expect(await fixture.queue.perform(.retry(.failed)) == .changed([2]))
        #expect(await fixture.queue.core.uploads[1]?.state == .held(held))
    }

    @Test func `F14 a link is no new version either`() async throws {
        let fixture = QueueFixture([try upload()], retry: .init(whenFileChanges: .restart))
        try await fixture.queue.start(monitor: nil)
        let attempt = try await fixture.runner.next()
        try putLinkInPlace()
        attempt.fail(.sourceChanged)
        let held = try await fixture.wait(for: 1) { $0.isHeld }
        #expect(held.tries.changes == 0)
    }
}
