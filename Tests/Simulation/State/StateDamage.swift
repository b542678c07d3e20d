package import FerryUploads

/// The contents of all files in a state folder.
package struct StateImage: Equatable, Sendable {
    package var files: [String: [UInt8]] = [:]

    package init(_ source: any StateFiles) throws(SystemCallError) {
        for name in try source.names() where name != "lock" {
            files[name] = try source.open(name, for: .reading)?.content() ?? []
        }
    }

    package func simulated() -> SimulatedDisk {
        let disk = SimulatedDisk()
        for (name, content) in files { disk.put(content, as: name) }
        return disk
    }

    /// The name of the journal with the last record; nil if no journal has one.
    package var lastJournal: String? {
        files.filter { $0.key.hasPrefix("journal.") && $0.key.hasSuffix(".jsonl") && !$0.value.isEmpty }
            .keys.max { ($0.count, $0) < ($1.count, $1) }
    }

    /// Makes a queue with both snapshots and several records after them.
    ///
    /// - Returns: The files, and the states of the queue after none, one and so on of its changes.
    package static func sample(seed: UInt64, records: Int = 3) throws -> (
        image: StateImage, states: [WorkloadState]
    ) {
        for changes in 8..<200 {
            let disk = SimulatedDisk()
            let options = FileJournal.Options.make(threshold: 600)
            var run = InlineRun(try JournalStore.opened(disk, options: options).store, seed: seed, after: 0)
            run.go(changes) { _, _ in }
            let image = try StateImage(disk)
            let last = image.lastJournal.flatMap { image.files[$0] } ?? []
            let isComplete = image.files["queue.prev.json"] != nil && image.files["queue.json"] != nil
            if isComplete, last.count(where: { $0 == 0x0A }) >= records {
                return (image, WorkloadState.states(of: seed, through: changes))
            }
        }
        throw NoSample(seed: seed)
    }

    private struct NoSample: Error {
        var seed: UInt64
    }
}

/// Damage to one file of a state folder.
package enum StateDamage: Hashable, Sendable {
    case cut(String, length: Int)
    case flip(String, byte: Int, bit: Int)
    /// The bytes from this offset to the end are NULs.
    case zeros(String, from: Int)
    /// The bytes of an unfinished write are at the end.
    case tail(String, [UInt8])

    package static func all(of image: StateImage, bits: Range<Int>) -> [StateDamage] {
        var damages: [StateDamage] = []
        for (name, content) in image.files.sorted(by: { $0.key < $1.key }) {
            for byte in content.indices {
                damages.append(.cut(name, length: byte))
                // With fewer than eight bits, another bit is flipped in each byte.
                damages += bits.map { .flip(name, byte: byte, bit: ($0 + byte) % 8) }
            }
            guard name == image.lastJournal else { continue }
            damages += content.indices.map { .zeros(name, from: $0) }
            let half: [UInt8] = [0xC3]
            damages += [.tail(name, half), .tail(name, [0]), .tail(name, Array("{\"c\":\"".utf8) + half)]
        }
        return damages
    }

    private func applied(to image: StateImage) -> StateImage {
        var image = image
        switch self {
        case .cut(let name, let length):
            image.files[name] = Array(image.files[name, default: []].prefix(length))
        case .flip(let name, let byte, let bit): image.files[name]?[byte] ^= 1 << bit
        case .zeros(let name, let start):
            let content = image.files[name, default: []]
            image.files[name] = content.prefix(start) + [UInt8](repeating: 0, count: content.count - start)
        case .tail(let name, let bytes): image.files[name, default: []] += bytes
        }
        return image
    }

    /// Returns the number of changes that must be found, and whether recovery may refuse the files instead.
    private func expected(in image: StateImage, changes: Int) -> (changes: Int, mayRefuse: Bool) {
        switch self {
        case .cut(let name, let end) where name == image.lastJournal,
            .zeros(let name, from: let end) where name == image.lastJournal:
            // Each change is one line.
            (changes - image.files[name, default: []].dropFirst(end).count { $0 == 0x0A }, false)
        case .tail: (changes, false)
        case .cut, .flip, .zeros: (changes, true)
        }
    }

    package enum Outcome: Sendable {
        case found, refused
        /// Recovery found something wrong. The text says what.
        case failed(String)
    }

    /// Damages the files, and checks that recovery finds the expected changes, or refuses the files without changing
    /// them.
    ///
    /// - Parameters:
    ///   - states: The states of the queue after none, one and so on of its changes, up to `image`.
    ///   - makeFiles: Makes a folder with the given content.
    package func check(
        _ image: StateImage, states: [WorkloadState], in makeFiles: (StateImage) throws -> any StateFiles
    ) throws -> Outcome {
        let changes = states.count - 1
        let damaged = applied(to: image)
        let files = try makeFiles(damaged)
        let (least, mayRefuse) = expected(in: image, changes: changes)
        do throws(StateCheck.Fault) {
            let finding = try StateCheck.check(files, states: states, acknowledged: least, damaged: true)
            return finding.position == least
                ? .found : .failed("\(finding.position) changes instead of \(least)")
        } catch {
            guard case .refused(let reason) = error, mayRefuse else { return .failed("\(error)") }
            return try StateImage(files) == damaged ? .refused : .failed("refused and changed: \(reason)")
        }
    }
}
