import FerryProtocols
import FerryTransfer

/// A file that has been uploaded and is to be taken out of its folder, if it is still what was sent.
///
/// Its name may be another file's at any moment, so it is taken away first, looked at, and put back if it is another
/// one. Whatever was interrupted goes on the next time.
package struct UploadedFileDisposal: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case deleted
        case moved(to: LocalPath)
        /// Another version is there now, or none.
        case changed
        /// A process has it open to write to it.
        case inUse
        /// The file is still there; the text says why.
        case failed(String)
    }

    package var path: LocalPath
    /// The version that was sent.
    package var identity: FileIdentity
    /// The number of its upload: two files of a queue never have the same.
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
            return putBack(aside) == .changed ? .failed(error.code.phrase) : .changed
        }
        return .deleted
    }

    /// - Parameters:
    ///   - folder: Made if it is not there.
    ///   - names: The folders in it, and the file's name; a number is added if that is taken.
    package func move(to folder: LocalPath, as names: [[UInt8]]) -> Outcome {
        guard let name = names.last else { return .changed }
        var place = folder
        for name in [[]] + names.dropLast() {
            if !name.isEmpty { place = place.appending(name) }
            do throws(SystemCallError) { try place.makeFolder(mode: 0o777) } catch {
                guard error.code == .fileExists else {
                    return .failed("\(place.text) cannot be created: \(error.code.phrase)")
                }
            }
        }
        let aside = aside(in: place)
        if let outcome = take(to: aside) { return outcome }
        return give(aside, name, in: place).map { .moved(to: $0) } ?? .failed("it is \(aside.text) now")
    }

    /// Hidden: nobody takes it for a new file. Another queue may have given another file the same number.
    func aside(in folder: LocalPath) -> LocalPath {
        folder.appending(Array(".ferry-sent-\(id)-\(identity.inode)-\(identity.modified)".utf8))
    }

    /// Gives it another name, if it is what was sent and stays that.
    ///
    /// - Returns: Why not.
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
        // Under a name by which nobody opens it, it cannot change any more unless somebody has it open.
        guard !isInUse(aside), let found = FileIdentity.ofName(aside), found.isSameContent(as: identity),
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

    /// Gives a file that is not what was sent its name again, or one like it if that is taken by now.
    private func putBack(_ aside: LocalPath) -> Outcome {
        guard let folder = path.parent, give(aside, path.lastComponent, in: folder) != nil else {
            return .failed("it is \(aside.text) now")
        }
        return .changed
    }

    /// Gives what was taken aside a name, or one like it: nothing is overwritten.
    private func give(_ aside: LocalPath, _ name: [UInt8], in folder: LocalPath) -> LocalPath? {
        for number in 1...Self.attempts {
            let goal = folder.appending(number == 1 ? name : Self.numbered(name, number))
            var refusal: Errno?
            do throws(SystemCallError) { try aside.link(as: goal) } catch { refusal = error.code }
            // It may have got it already when a kill came between the two.
            if refusal == nil || refusal == .fileExists && isSame(aside, goal) {
                try? aside.remove()
                return goal
            }
            if refusal == .fileExists { continue }
            // A file system without hard links.
            if FileIdentity.ofName(goal) == nil, (try? aside.rename(to: goal)) != nil { return goal }
        }
        return nil
    }

    private func isSame(_ one: LocalPath, _ other: LocalPath) -> Bool {
        guard let one = FileIdentity.ofName(one), let other = FileIdentity.ofName(other) else { return false }
        return one.inode == other.inode && one.device == other.device
    }

    /// `a.mov` with 2 is `a (2).mov`.
    static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
        let mark = Array(" (\(number))".utf8)
        guard let dot = name.lastIndex(of: 0x2E), dot > 0 else { return name + mark }
        return Array(name[..<dot]) + mark + Array(name[dot...])
    }
}
