import FerryProtocols
import FerryTransfer

/// The removal of an uploaded file from its folder, if it is still the version that was sent.
///
/// Another program may replace the file at any moment. So the file is first renamed to a hidden name and then checked.
/// If it is not the sent version, it is renamed back. If the process ends in between, the next call continues.
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
        guard let folder = path.parent else { return .changed }
        let aside = aside(in: folder)
        if let outcome = take(to: aside) { return outcome }
        do throws(SystemCallError) { try aside.remove() } catch {
            let back = putBack(aside)
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
        var target = folder
        for name in [[]] + names.dropLast() {
            if !name.isEmpty { target = target.appending(name) }
            do throws(SystemCallError) { try target.makeFolder(mode: 0o777) } catch {
                guard error.code == .fileExists else {
                    return .failed("\(target.text) cannot be created: \(error.code.phrase)")
                }
            }
        }
        let aside = aside(in: target)
        if let outcome = take(to: aside) { return outcome }
        return give(aside, name, in: target).map { .moved(to: $0) } ?? .failed("it is \(aside.text) now")
    }

    /// Returns the path with the hidden name to which the file is renamed. The name is hidden, so that no watcher takes
    /// the file for a new one. It contains the file's identity, because another queue may have the same upload id.
    func aside(in folder: LocalPath) -> LocalPath {
        folder.appending(Array(".ferry-sent-\(id)-\(identity.inode)-\(identity.modified)".utf8))
    }

    /// Renames the file to `aside` if it is the sent version. Renames it back if another version was renamed, or if a
    /// process has it open for writing.
    ///
    /// - Returns: The reason why the file is not at `aside`; nil if it is.
    private func take(to aside: LocalPath) -> Outcome? {
        if FileIdentity.ofName(aside) == nil {
            guard FileIdentity.ofName(path) == identity else { return .changed }
            guard !isInUse(path) else { return .inUse }
            do throws(SystemCallError) { try path.rename(to: aside) } catch {
                switch error.code {
                case .noSuchFileOrDirectory: return .changed
                case .improperLink:
                    let folder = aside.parent?.text ?? aside.text
                    return .failed("\(folder) is on another file system, to which nothing is moved")
                case let code: return .failed(code.phrase)
                }
            }
        }
        // No program opens the file by its hidden name. So it can change only if a process already has it open.
        if isInUse(aside) {
            let back = putBack(aside)
            return back == .changed ? .inUse : back
        }
        guard let found = FileIdentity.ofName(aside), found.isSameContent(as: identity),
            found.device == identity.device
        else { return putBack(aside) }
        return nil
    }

    private func isInUse(_ place: LocalPath) -> Bool {
        guard FileSystemKind.tellsWriters(place, identity.device),
            let file = try? SourceFile(resolved: place)
        else { return false }
        return file.hasWriters == true
    }

    /// Renames the file at `aside` back to its former name, or to that name with a number if it is taken by now.
    ///
    /// - Returns: `changed`; `failed` if the file could not be renamed.
    private func putBack(_ aside: LocalPath) -> Outcome {
        guard let folder = path.parent, give(aside, path.lastComponent, in: folder) != nil else {
            return .failed("it is \(aside.text) now")
        }
        return .changed
    }

    /// Renames the file at `aside` to `name`. If this name is taken, a number is added, so that no file is overwritten.
    /// Returns the new path; nil if the file could not be renamed.
    private func give(_ aside: LocalPath, _ name: [UInt8], in folder: LocalPath) -> LocalPath? {
        for number in 1...Self.attempts {
            let goal = folder.appending(number == 1 ? name : Self.numbered(name, number))
            var refusal: Errno?
            do throws(SystemCallError) { try aside.link(as: goal) } catch { refusal = error.code }
            // A process that was killed between `link` and `remove` leaves both names.
            if refusal == nil || refusal == .fileExists && isSame(aside, goal) {
                try? aside.remove()
                return goal
            }
            if refusal == .fileExists { continue }
            // The file system has no hard links.
            if FileIdentity.ofName(goal) != nil { continue }
            return (try? aside.rename(to: goal)) != nil ? goal : nil
        }
        return nil
    }

    private func isSame(_ one: LocalPath, _ other: LocalPath) -> Bool {
        guard let one = FileIdentity.ofName(one), let other = FileIdentity.ofName(other) else { return false }
        return one.inode == other.inode && one.device == other.device
    }

    /// Returns the name with a number: `a.mov` with 2 is `a (2).mov`.
    static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
        let mark = Array(" (\(number))".utf8)
        guard let dot = name.lastIndex(of: 0x2E), dot > 0 else { return name + mark }
        return Array(name[..<dot]) + mark + Array(name[dot...])
    }
}
