import Testing

@testable import FerryUploads

@Suite(.timeLimit(.minutes(10)))
struct UpdateListenersTests {
    @Test func `a change before the end is delivered after the whole queue`() async {
        let listeners = UpdateListeners()
        let updates = listeners.add(uploads: UploadTable(), status: EngineStatus())
        listeners.publish(changed: [], removed: [7], status: EngineStatus())
        listeners.finish()
        var seen: [QueueUpdate] = []
        for await update in updates { seen.append(update) }
        #expect(seen.map(\.isComplete) == [true, false])
        #expect(seen.last?.removed == [7])
    }

    @Test func `a listener who stops reading is forgotten`() async {
        let listeners = UpdateListeners()
        do {
            let updates = listeners.add(uploads: UploadTable(), status: EngineStatus())
            for await _ in updates { break }
            #expect(!listeners.isEmpty)
        }
        #expect(listeners.isEmpty)
    }
}
