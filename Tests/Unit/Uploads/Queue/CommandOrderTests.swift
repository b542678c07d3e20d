import Testing

@testable import FerryUploads

struct CommandOrderTests {
    @Test func `an undo waits for the commands before it, and those after it for its choice`() {
        var order = CommandOrder()
        let first = order.begin(.change)
        let undo = order.begin(.choice)
        let later = order.begin(.change)
        #expect(!order.mustWait(first) && order.mustWait(undo) && order.mustWait(later))
        order.end(first)
        #expect(!order.mustWait(undo) && order.mustWait(later))
        order.chose(undo)
        #expect(!order.mustWait(later))
    }

    @Test func `an undo waits until the one before it has ended`() {
        var order = CommandOrder()
        let (first, second) = (order.begin(.choice), order.begin(.choice))
        order.chose(first)
        #expect(order.mustWait(second))
        order.end(first)
        #expect(!order.mustWait(second))
    }
}
