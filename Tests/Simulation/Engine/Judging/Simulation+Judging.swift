import FerryProtocols
import FerryUploads

/// The checks that need the state of the whole simulation.
extension Simulation {
    mutating func check(_ upload: Upload) {
        judge.check(upload, at: sites.first { $0.url == upload.target.url })
    }

    /// Checks that the engine uses the link. It is called one second after the kernel reported the link as up, if
    /// nothing has changed since.
    mutating func checkLink(since starts: Int) {
        guard link.isUp, !link.isFading, let engine else { return }
        for number in flights.keys.sorted() {
            // A request that has ended may still wait for the disk.
            guard let flight = flights[number], flight.life == engine.life, !flight.isAbandoned,
                flight.stage != .ended, !sites[flight.site].isLocal, flight.generation < link.generation
            else { continue }
            judge.violated(.linkIsUsed, "request \(number) waits on a connection whose address is gone")
        }
        let inspection = QueueInspection(engine.core, at: moment)
        guard inspection.isAccepting else { return }
        for (id, upload) in inspection.uploads.sorted(by: { $0.key < $1.key }) {
            guard case .paused(.offline) = upload.state else { continue }
            judge.violated(.linkIsUsed, "upload \(id) is still paused a second after the link's return")
        }
    }

    /// Checks at the end of a schedule that every upload has ended, unless a user paused it, and that no POST was
    /// repeated.
    mutating func checkEnds() {
        for (id, upload) in uploads.sorted(by: { $0.key < $1.key }) {
            switch upload.state {
            case .done, .failed, .held: break
            case .paused(let reasons) where reasons.contains(.user): break
            case .queued, .running, .waiting, .paused:
                judge.violated(.nothingStarves, "upload \(id) is \(upload.state.kind) at the end")
            }
        }
        for site in sites {
            guard let service = site.service as? WholeService else { continue }
            for (posted, count) in service.posts.sorted(by: { $0.key.file < $1.key.file }) {
                let file = posted.file
                let retries = judge.retries[file] ?? 0
                guard count > 1 + retries else { continue }
                judge.violated(
                    .postsAreNotRepeated, "file \(file) was posted \(count) times after \(retries) retries")
            }
        }
    }
}
