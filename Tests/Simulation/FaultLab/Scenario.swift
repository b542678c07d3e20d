import ArgumentParser
import FerryStateSimulation
import FerryUploads

/// The state that a run of `write` begins with.
enum Scenario: String, CaseIterable, ExpressibleByArgument {
    /// No folder at all.
    case new
    /// Both snapshots and records after them, as a kill leaves them.
    case stopped
    /// The same with half a record at the end, and a snapshot that was never finished.
    case torn
    /// The same with a snapshot that cannot be used, so the one before it must be.
    case damaged

    /// Makes it in `folder`.
    ///
    /// - Returns: How many changes it holds.
    func prepare(_ folder: StateFolder, seed: UInt64) throws -> Int {
        folder.remove()
        guard self != .new else { return 0 }
        var (image, states) = try StateImage.sample(seed: seed)
        let last = image.lastJournal ?? ""
        let record = image.files[last, default: []].prefix { $0 != 0x0A }
        switch self {
        case .new, .stopped: break
        case .torn:
            image.files[last, default: []] += record.dropLast(20)
            image.files[".tmp.1"] = Array(record)
        case .damaged: image.files["queue.json"] = Array(image.files["queue.json", default: []].dropLast(40))
        }
        _ = try folder.lock()
        for (name, content) in image.files { try folder.put(content, as: name) }
        return states.count - 1
    }

    /// True if more than a crash has happened to it.
    var isDamaged: Bool { self == .damaged }
}
