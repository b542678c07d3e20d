import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

/// A runner that sends nothing, because only the queue is measured.
struct IdleRunner: AttemptRunner {
    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome> {
        try? await Task.sleep(for: .seconds(86_400))
        return Redacted(.cancelled)
    }
    func discard(_ upload: Upload) async {}
    func host(of upload: Upload) -> UploadHost { UploadHost(name: "localhost", port: 80, isLocal: true) }
    func resumes(_ upload: Upload) -> Bool { true }
}

/// Performs one step with a long queue, in a process of its own: `queue-size add|start COUNT FOLDER`.
///
/// Prints one line of names and numbers: seconds, bytes, milliseconds.
@main
struct QueueSize {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let count = Int(words[2]), count > 0 else {
            FileHandle.standardError.write(Data("usage: queue-size add|start COUNT FOLDER\n".utf8))
            exit(2)
        }
        let journal = FileJournal(try StateDirectory(at: LocalPath(words[3])).lock())
        let queue = UploadQueue(journal: journal, runner: IdleRunner())
        switch words[1] {
        case "add": try await add(count, to: queue)
        default: try await start(queue, count)
        }
    }

    /// Opens the queue, adds all uploads at once and writes a snapshot, as `ferry add` does.
    private static func add(_ count: Int, to queue: UploadQueue) async throws {
        _ = try await queue.open()
        let new = files(count)
        let before = Memory()
        let clock = ContinuousClock()
        let adding = await clock.measure {
            guard case .changed(let ids) = await queue.perform(.add(new)), ids.count == count else {
                preconditionFailure("the queue refused")
            }
        }
        let leaving = await clock.measure { await queue.stop() }
        let peak = (Memory().peak - before.resident) / count
        print("add=\(adding / .seconds(1)) leave=\(leaving / .seconds(1)) peak=\(peak)")
    }

    /// Starts the queue as `ferry run` does, then makes one change after another.
    private static func start(_ queue: UploadQueue, _ count: Int) async throws {
        let before = Memory()
        let clock = ContinuousClock()
        let starting = try await clock.measure { try await queue.start(monitor: nil) }
        let after = Memory()
        var changes: [Double] = []
        for number in 0..<200 {
            let id = count - number * (count / 400)
            for command in [QueueCommand.pause(.ids([id])), .resume(.ids([id]))] {
                let time = await clock.measure { _ = await queue.perform(command) }
                changes.append(time / .milliseconds(1))
            }
        }
        changes.sort()
        let resident = (after.resident - before.resident) / count
        let peak = (after.peak - before.resident) / count
        print(
            "start=\(starting / .seconds(1)) resident=\(resident) peak=\(peak)"
                + " change=\(changes[changes.count / 2]) slow=\(changes[changes.count * 99 / 100])")
        await queue.stop()
    }

    /// Makes uploads with names like a camera's. They are too long for Swift to store them inline.
    private static func files(_ count: Int) -> [NewUpload] {
        let url = "https://uploads.example.com/api/files/"
        return (1...count).map { number in
            let name = "2026/harbour/IMG_\(10_000_000 + number).jpeg"
            return NewUpload(
                path: LocalPath("/srv/photos/\(name)"),
                identity: FileIdentity(
                    device: 66_306, inode: UInt64(9_000_000 + number), size: 4_000_000 + Int64(number),
                    modified: 1_760_000_000_123_456_789, changed: 1_760_000_000_123_456_789),
                target: .init(destination: "photos", url: url, protocolName: "tus", name: name))
        }
    }
}

/// The memory of this process, as the kernel counts it.
private struct Memory {
    var resident = 0
    var peak = 0

    init() {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        for line in status.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count == 3, let kibibytes = Int(words[1]) else { continue }
            if words[0] == "VmRSS:" { resident = kibibytes << 10 }
            if words[0] == "VmHWM:" { peak = kibibytes << 10 }
        }
    }
}
