// Example: queue
import Ferry

func uploadSurely(_ paths: [LocalPath], to server: String, state: LocalPath) async throws -> [Upload] {
    let films = Destination(name: "films", url: server + "/files/", protocol: .tus)
    let limit = RateLimit()
    let runner = DestinationRunner(destinations: [films], rateLimit: limit)
    let journal = FileJournal(try StateDirectory(at: state).lock())
    let queue = UploadQueue(journal: journal, runner: runner, rateLimit: limit)

    try await queue.start(monitor: SystemLinkMonitor())  // resumes what a crash interrupted
    let files = FileSearch(isRecursive: true).find(paths).files
    _ = await queue.perform(
        .add(
            files.map {
                NewUpload(path: $0.path, identity: $0.identity, target: films.target(name: $0.relativeName))
            }))
    await queue.waitUntilIdle()

    let uploads = await queue.all
    await queue.stop()
    await runner.shutdown()
    return uploads
}
// end
