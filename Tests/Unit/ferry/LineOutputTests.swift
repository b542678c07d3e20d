import Dispatch
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Tests the end of a command's output.
struct LineOutputTests {
    @Test func `a cancelled task waits for the output too`() async {
        let (output, written) = (LineOutput(), Counter())
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await output.flush()
        }
        // The write takes a moment.
        output.queue.async {
            Thread.sleep(forTimeInterval: 0.2)
            written.add()
        }
        task.cancel()
        await task.value
        #expect(written.value == 1)
    }
}
