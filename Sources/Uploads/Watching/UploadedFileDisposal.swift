import FerryProtocols
import FerryTransfer

/// The removal of an uploaded file from its folder, if it has not changed since it was sent.
///
/// Another program can replace the file at any moment. So Ferry renames it to a hidden name, checks the version, and
/// renames it back if it is another one. If the process ends in between, the next removal continues with the hidden
/// name.
///
/// Another user is possibly allowed to write to the folder or the target folder. So Ferry opens each folder once, and
/// looks up every name in the open folder.
package struct UploadedFileDisposal: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case deleted
        case moved(to: LocalPath)
        /// The file was not removed, because it has changed since it was sent, or no longer exists.
        case changed
        /// The file was not removed, because its mode, owner, links or name have changed since it was sent.
        case touched
        /// The file was not removed, because a process has it open for writing.
        case inUse
        case failed(String)
    }

    package var path: LocalPath
    package var identity: FileIdentity
    package var id: Upload.ID

    private static let attempts = 10_000

    package func delete() -> Outcome {
        let source: Folder
        do throws(Refusal) {
            guard let folder = try self.source() else { return .changed }
            source = folder
        } catch {
            return .failed(error.reason)
        }
        if let outcome = take(from: source, to: source) { return outcome }
        do throws(SystemCallError) { try source.directory.remove(asideName) } catch {
            let back = putBack(from: source, to: source)
            return back == .changed ? .failed(error.code.phrase) : back
        }
        return .deleted
    }

    /// Moves the file to another folder on the same file system, if it is still the version that was sent. `names` are
    /// the folders below `folder`, and the new name, to which a number is added if it exists already.
    package func move(to folder: LocalPath, as names: [[UInt8]]) -> Outcome {
        guard let name = names.last else { return .changed }
        let source: Folder?
        let target: Folder
        do throws(Refusal) {
            source = try self.source()
            target = try self.target(folder, names.dropLast(), from: source)
        } catch {
            return .failed(error.reason)
        }
        if let outcome = take(from: source, to: target) { return outcome }
        return give(from: target, as: name, in: target).map { .moved(to: $0) }
            ?? .failed("it is \(aside(in: target.path).text) now")
    }

    func aside(in folder: LocalPath) -> LocalPath { folder.appending(asideName.bytes) }

    /// The hidden name of the file during its removal, which a watcher ignores. Uploads in two queues can have the same
    /// id, so it also contains the inode and the time of the file.
    private var asideName: LocalPath {
        LocalPath(".ferry-sent-\(id)-\(identity.inode)-\(identity.modified)")
    }

    /// Renames the file to its hidden name in `target`, if it is the version that was sent, and no process has it open
    /// for writing. Both are checked before and after the renaming, or only after it if the hidden name exists already.
    /// Returns the outcome to report if the sent version does not have the hidden name now.
    private func take(from source: Folder?, to target: Folder) -> Outcome? {
        if target.version(of: asideName) == nil {
            let name = LocalPath(bytes: path.lastComponent)
            guard let source, let found = source.version(of: name) else { return .changed }
            guard found == identity else {
                return found.isSameContent(as: identity) && found.device == identity.device
                    ? .touched : .changed
            }
            guard !isInUse(name, in: source) else { return .inUse }
            do throws(SystemCallError) {
                try source.directory.rename(name, to: asideName, in: target.directory)
            } catch {
                switch error.code {
                case .noSuchFileOrDirectory: return .changed
                case .improperLink:
                    return .failed("\(target.path.text) is on another file system, to which nothing is moved")
                case let code: return .failed(code.phrase)
                }
            }
        }
        // The file can change under its hidden name only if a process already has it open.
        if isInUse(asideName, in: target) {
            let back = putBack(from: target, to: source)
            return back == .changed ? .inUse : back
        }
        guard let found = target.version(of: asideName), found.isSameContent(as: identity),
            found.device == identity.device
        else { return putBack(from: target, to: source) }
        return nil
    }

    private func isInUse(_ name: LocalPath, in folder: Folder) -> Bool {
        guard folder.version(of: name) != nil,
            FileSystemKind.tellsWriters(folder.path.appending(name.bytes), identity.device),
            let file = try? folder.directory.open(name, for: .reading)
        else { return false }
        return file.descriptor.hasWriters == true
    }

    /// Renames the file from its hidden name in `target` back to its name in `source`, with a number if necessary.
    /// Returns `changed`, or `failed` if this is not possible.
    private func putBack(from target: Folder, to source: Folder?) -> Outcome {
        guard let source, give(from: target, as: path.lastComponent, in: source) != nil else {
            return .failed("it is \(aside(in: target.path).text) now")
        }
        return .changed
    }

    /// Renames the file with the hidden name in `place` to `name` in `folder`, with a number if another file has this
    /// name. Returns the new path; nil if the file could not be renamed.
    private func give(from place: Folder, as name: [UInt8], in folder: Folder) -> LocalPath? {
        for number in 1...Self.attempts {
            let goal = LocalPath(bytes: number == 1 ? name : Self.numbered(name, number))
            var refusal: Errno?
            do throws(SystemCallError) {
                try place.directory.link(asideName, as: goal, in: folder.directory)
            } catch {
                refusal = error.code
            }
            // A process that was killed between `link` and `remove` leaves both names.
            if refusal == nil || refusal == .fileExists && place.has(asideName, as: goal, in: folder) {
                try? place.directory.remove(asideName)
                return folder.path.appending(goal.bytes)
            }
            if refusal == .fileExists { continue }
            // The file system has no hard links, or the kernel allows none to a file of another user.
            if (try? folder.directory.status(of: goal)) != nil { continue }
            let isRenamed = (try? place.directory.rename(asideName, to: goal, in: folder.directory)) != nil
            return isRenamed ? folder.path.appending(goal.bytes) : nil
        }
        return nil
    }

    /// Returns the name with a number: `a.mov` with 2 is `a (2).mov`.
    static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
        let mark = Array(" (\(number))".utf8)
        guard let dot = name.lastIndex(of: 0x2E), dot > 0 else { return name + mark }
        return Array(name[..<dot]) + mark + Array(name[dot...])
    }
}
