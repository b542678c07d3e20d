import FerryUploads
import Testing

@testable import FerryCommand

struct PrintedStatesTests {
    @Test(arguments: [1, 63, 64, 65, 1_000_000_000, Int.max])
    func `a state is known from its first line until the upload is removed`(id: Upload.ID) {
        var printed = PrintedStates()
        #expect(printed.update(id, .queued) == nil)
        #expect(printed.update(id, .paused(.user)) == .queued)
        #expect(printed.update(id, nil) == .paused(.user))
        #expect(printed.update(id, nil) == nil)
    }

    @Test func `each of many uploads has a state of its own`() {
        var printed = PrintedStates()
        for id in 1...300 { printed.update(id, id.isMultiple(of: 2) ? .queued : .paused(.user)) }
        for id in 100...200 { printed.update(id, nil) }
        for id in 1...300 {
            let state: Upload.State = id.isMultiple(of: 2) ? .queued : .paused(.user)
            #expect(printed.update(id, .queued) == ((100...200).contains(id) ? nil : state))
        }
    }
}
