// Example: receiver
import Ferry

func receive(into folder: String, onStart: @escaping @Sendable (ReceiverAddress) -> Void) async throws {
    var configuration = ReceiverConfiguration(directory: folder, maximumSize: 1 << 30)
    configuration.allowDownload = true
    let receiver = try UploadReceiver(configuration) { event in
        if case .finished(_, let name, let size) = event { print("\(name), \(size) bytes") }
    }
    try await receiver.run(onStart: onStart)  // until the task is cancelled
}
// end
