import FerryFiles
import FerryTUI
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Synchronization
import Testing

@testable import FerryCommand

/// Tests adding files from the screen.
struct ScreenAddingTests {
    /// A queue that adds all files and records them.
    private final class Recorder: QueueClient {
        let added = Mutex<[NewUpload]>([])

        func perform(_ command: QueueCommand) async -> QueueReply {
            guard case .addNew(let new) = command else { return .changed([]) }
            added.withLock { $0 += new }
            return .changed(Array(1...new.count))
        }

        func updates() async -> AsyncStream<QueueUpdate> { AsyncStream { $0.finish() } }
        func progress() -> [ProgressSample] { [] }
    }

    private static func assembly(_ state: LocalPath) -> Assembly {
        let text = #"{ "destinations": { "box": { "url": "http://h.test/", "protocol": "put" } } }"#
        let configuration = try? ConfigurationFile.parse(Data(text.utf8), file: "config.json")
        return Assembly(configuration: configuration ?? Configuration(), state: state)
    }

    @Test func `a file that was uploaded before is left out, even after it left the queue`() async throws {
        let folder = try TemporaryDirectory()
        let state = LocalPath(folder.path("state"))
        let selection = FileSelection(
            files: ["old", "changed", "new"].map { name in
                FileSelection.File(
                    path: LocalPath("/out/" + name), identity: Upload.boxed(1).identity, relativeName: name)
            })
        let new = try NewUploads.make(selection, for: try Self.assembly(state).destination(nil))
        let history = UploadHistory(try StateDirectory(at: state).lock())
        let date = Date(timeIntervalSince1970: 0)
        for (id, file) in zip(1...2, new) {
            var upload = Upload.boxed(id, .done)
            (upload.path, upload.target) = (file.path, file.target)
            history.add([HistoryEntry(outcome: .done, at: date, upload: upload)])
        }
        await history.close()
        let queue = Recorder()
        let service = ScreenAdding(assembly: { Self.assembly(state) }, queue: queue, state: state)
        #expect(await service.past(selection).map(\.id).sorted() == [1, 2])
        #expect(await service.add(selection, to: "box") == .changed([1, 2]))
        #expect(queue.added.withLock { $0.map(\.target.name) } == ["changed", "new"])
    }
}
