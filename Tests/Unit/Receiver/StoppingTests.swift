import FerryTestSupport
import Testing

@testable import FerryReceiver

struct StoppingTests {
    // SwiftNIO ends the process if an accepted connection is dropped before a handler owns it.
    @Test func `a receiver can be stopped while connections come in`() async throws {
        for _ in 0..<40 {
            let directory = try TemporaryDirectory()
            let receiver = try UploadReceiver(
                ReceiverConfiguration(directory: directory.path))
            let (addresses, started) = AsyncStream.makeStream(of: ReceiverAddress.self)
            let serving = Task { try await receiver.run { started.yield($0) } }
            let address = try #require(await addresses.first { _ in true })
            let callers = Task.detached {
                var clients: [RawClient] = []
                for _ in 0..<30 {
                    if let client = try? RawClient(port: UInt16(address.port)) { clients.append(client) }
                }
                return clients.count
            }
            await Task.yield()
            serving.cancel()
            _ = await serving.result
            _ = await callers.value
        }
    }
}
