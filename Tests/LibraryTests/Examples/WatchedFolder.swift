// Example: watched folder
import Ferry

func uploadArrivals(in folder: LocalPath, to films: Destination, state: LocalPath) async throws -> [Upload] {
    let limit = RateLimit()
    let runner = DestinationRunner(destinations: [films], rateLimit: limit)
    let lock = try StateDirectory(at: state).lock()
    let queue = UploadQueue(journal: FileJournal(lock), runner: runner, rateLimit: limit)

    let watched = WatchedFolder(path: folder, isRecursive: true, settle: .seconds(1), after: .keep)
    let folders = try await WatchedFolders(
        [Watch(folder: watched, destination: films)], lock: lock, queue: queue,
        tell: { print($0.text) })
    try await queue.start(monitor: SystemLinkMonitor())
    await folders.start()  // from here on each file is added when it has kept still for a second

    repeat { await queue.waitUntilIdle() } while await folders.finish()
    let uploads = await queue.all
    await folders.stop()
    await queue.stop()
    await runner.shutdown()
    return uploads
}
// end
