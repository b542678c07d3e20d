import FerryStateSimulation
import FerryTransfer
import FerryUploads
import Foundation

/// The path of a state folder, with the operations that campaigns need.
struct StateFolder {
    let path: String

    /// Recovers the queue and compares it with the changes of `seed`. The lock must be free, and every file must have
    /// the mode 600.
    func check(
        seed: UInt64, numbers: ClosedRange<Int>, without refused: Set<Int> = [], damaged: Bool = false,
        mutant: Mutant? = nil
    ) -> Result<StateCheck.Finding, StateCheck.Fault> {
        do {
            let directory = try StateDirectory(at: LocalPath(path))
            let lock = try directory.lock()
            defer { withExtendedLifetime(lock) {} }
            let files: any StateFiles =
                if let mutant { MutantFiles(directory.files, mutant) } else { directory.files }
            let finding = try StateCheck.check(
                files, seed: seed, numbers: numbers, without: refused, damaged: damaged)
            for name in try directory.files.names() {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
                guard attributes[.posixPermissions] as? Int == 0o600 else {
                    throw StateCheck.Fault.leftover(name)
                }
            }
            return .success(finding)
        } catch let fault as StateCheck.Fault {
            return .failure(fault)
        } catch let error as JournalError {
            return .failure(.refused(error.summary))
        } catch {
            return .failure(.refused("\(error)"))
        }
    }

    /// Opens the files as the journal does, but without the lock.
    func open() throws(JournalError) -> any StateFiles { try StateDirectory(at: LocalPath(path)).files }

    func lock() throws(JournalError) -> StateLock { try StateDirectory(at: LocalPath(path)).lock() }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Copies the files with their contents and modes.
    func copy(to other: String) throws -> StateFolder {
        let copy = StateFolder(path: other)
        copy.remove()
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.copyItem(atPath: path + "/" + name, toPath: other + "/" + name)
        }
        return copy
    }

    func put(_ content: [UInt8], as name: String) throws {
        let options: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard
            FileManager.default.createFile(
                atPath: path + "/" + name, contents: Data(content), attributes: options)
        else { throw CocoaError(.fileWriteUnknown) }
    }
}

/// The temporary folder of a campaign. It is kept if the campaign failed.
struct Ground {
    let path: String

    init(_ parent: String?, _ campaign: String) throws {
        let parent = parent ?? FileManager.default.temporaryDirectory.path(percentEncoded: false)
        path = (parent as NSString).appendingPathComponent("fault-lab-\(campaign)-\(getpid())")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func folder(_ name: String) -> StateFolder { StateFolder(path: path + "/" + name) }

    func finish(_ tally: Tally) {
        if tally.failures == 0 { try? FileManager.default.removeItem(atPath: path) }
    }
}
