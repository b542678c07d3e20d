import ArgumentParser
import FerryStateSimulation
import FerryUploads

/// The content of the state folder at the start of a run of `write`.
enum Scenario: String, CaseIterable, ExpressibleByArgument {
    /// The folder does not exist.
    case new
    /// The folder has both snapshots and records after them, as a kill leaves it.
    case stopped
    /// The `stopped` scenario with a last record that is cut off, and with an unfinished snapshot.
    case torn
    /// The `stopped` scenario with a damaged last snapshot, so that the previous one must be used.
    case damaged

    /// Makes the files of this scenario in `folder`.
    ///
    /// - Returns: The number of changes that the files contain.
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

    /// True if the files have damage that a crash alone does not cause.
    var isDamaged: Bool { self == .damaged }
}
