import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Synchronization
import Testing

@testable import FerryUploads

/// Tests watched folders on a medium that does not respond.
struct WatchSilenceTests {
    private struct IdleRunner: AttemptRunner {
        func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome> {
            Redacted(.cancelled)
        }
        func discard(_ upload: Upload) async {}
        func host(of upload: Upload) -> UploadHost { UploadHost(name: "host.test", port: 80, isLocal: true) }
        func resumes(_ upload: Upload) -> Bool { true }
    }

    private final class Reports: Sendable {
        let all = Mutex<[String]>([])
    }

    private let directory: TemporaryDirectory
    private let reports = Reports()

    init() throws { directory = try TemporaryDirectory() }

    /// Makes watched folders that are never scanned to the end, as nothing waits for them.
    private func folders() throws -> WatchedFolders {
        let state = try StateDirectory(at: LocalPath(directory.path("state")))
        let lock = try state.lock()
        let watch = Watch(
            folder: WatchedFolder(path: LocalPath("/out")),
            destination: Destination(name: "box", url: "https://host.test/in/", protocolName: "put"))
        return try WatchedFolders(
            [watch], lock: lock, queue: UploadQueue(journal: FileJournal(lock), runner: IdleRunner()),
            silence: .init(removing: .zero, looking: .zero),
            notices: WatchNotices(
                tell: { [reports] notice in
                    reports.all.withLock { $0.append("\(notice.kind): \(notice.text)") }
                }, log: { _ in }))
    }

    @Test func `a folder that is never scanned to the end delays nothing, and is reported`() async throws {
        #expect(try await folders().finish(takesNew: true) == false)
        #expect(
            reports.all.withLock { $0 } == [
                "warning: /out does not answer: what is new there is found when the engine starts again"
            ])
    }

    @Test func `a silent folder is not reported where only sent files are waited for`() async throws {
        #expect(try await folders().finish(takesNew: false) == false)
        #expect(reports.all.withLock { $0 } == [])
    }

    @Test func `sent files that cannot be taken out of it are counted`() async throws {
        let folders = try folders()
        await folders.leave(["/out/a", "/out/b"])
        #expect(await folders.finish(takesNew: false) == false)
        #expect(
            reports.all.withLock { $0 } == [
                "warning: /out does not answer: 2 sent files stay there until the engine starts again"
            ])
    }
}

extension WatchedFolders {
    fileprivate func leave(_ paths: [String]) {
        for path in paths { tracker.removals[LocalPath(path)] = 0 }
    }
}
