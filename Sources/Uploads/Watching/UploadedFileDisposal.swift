import FerryProtocols
import FerryTransfer

/// The removal of an uploaded file from its folder, if it is still the version that was sent.
///
/// Another program can replace the file at any moment. So the file is first renamed to a hidden name and then checked.
/// If it is not the sent version, it is renamed back. If the process ends while the file has the hidden name, the next
/// removal of this file continues.
///
/// Another user may be able to write to the file's folder or to the target folder. So each folder is opened once, and
/// every name is looked up in the open folder.
package struct UploadedFileDisposal: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case deleted
        case moved(to: LocalPath)
        /// The file was not removed: it has another version now, or does not exist.
        case changed
        /// The file was not removed, because a process has it open for writing.
        case inUse
        /// The removal failed. The text is the reason.
        case failed(String)
    }

    package var path: LocalPath
    /// The version that was sent.
    package var identity: FileIdentity
    /// The id of the upload that sent the file. It is unique in a queue.
    package var id: Upload.ID

    package init(path: LocalPath, identity: FileIdentity, id: Upload.ID) {
        self.path = path
        self.identity = identity
        self.id = id
    }

    private static let attempts = 10_000

    package func delete() -> Outcome {
        guard let source = source() else { return .changed }
        if let outcome = take(from: source, to: source) { return outcome }
        do throws(SystemCallError) { try source.directory.remove(asideName) } catch {
            let back = putBack(from: source, to: source)
            return back == .changed ? .failed(error.code.phrase) : back
        }
        return .deleted
    }

    /// Moves the file to another folder, if it is still the sent version.
    ///
    /// - Parameters:
    ///   - folder: The target folder, created if it is missing. It must be on the same file system.
    ///   - names: The folders below `folder`, and the new name of the file. A number is added to a name that is taken.
    package func move(to folder: LocalPath, as names: [[UInt8]]) -> Outcome {
        guard let name = names.last else { return .changed }
        let source = source()
        let target: Folder
        do throws(Refusal) { target = try self.target(folder, names.dropLast(), from: source) } catch {
            return .failed(error.reason)
        }
        if let outcome = take(from: source, to: target) { return outcome }
        return give(from: target, as: name, in: target).map { .moved(to: $0) }
            ?? .failed("it is \(aside(in: target.path).text) now")
    }

    /// Returns the path with the hidden name to which the file is renamed.
    func aside(in folder: LocalPath) -> LocalPath { folder.appending(asideName.bytes) }

    /// The hidden name to which the file is renamed. The name is hidden, so that no watcher takes the file for a new
    /// one. It contains the file's identity, because another queue may have the same upload id.
    private var asideName: LocalPath {
        LocalPath(".ferry-sent-\(id)-\(identity.inode)-\(identity.modified)")
    }

    /// Renames the file to the hidden name in `target` if it is the sent version. Renames it back if another version
    /// was renamed, or if a process has it open for writing.
    ///
    /// - Parameter source: The folder of the file; nil if it is missing.
    /// - Returns: The reason why the file does not have the hidden name; nil if it has.
    private func take(from source: Folder?, to target: Folder) -> Outcome? {
        if target.version(of: asideName) == nil {
            let name = LocalPath(bytes: path.lastComponent)
            guard let source, source.version(of: name) == identity else { return .changed }
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
        // No program opens the file by its hidden name. So it can change only if a process already has it open.
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

    /// Renames the file with the hidden name in `target` back to its former name, or to that name with a number if it
    /// is taken by now.
    ///
    /// - Parameter source: The folder of the former name; nil if it is missing.
    /// - Returns: `changed`; `failed` if the file could not be renamed.
    private func putBack(from target: Folder, to source: Folder?) -> Outcome {
        guard let source, give(from: target, as: path.lastComponent, in: source) != nil else {
            return .failed("it is \(aside(in: target.path).text) now")
        }
        return .changed
    }

    /// Renames the file with the hidden name in `place` to `name` in `folder`. If this name is taken, a number is
    /// added, so that no file is overwritten. Returns the new path; nil if the file could not be renamed.
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
