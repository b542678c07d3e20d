package import FerryProtocols
import FerryTransfer

/// The content of a folder, for a user who chooses files in it.
package enum FolderContents: Hashable, Sendable {
    /// The entries, folders first, in natural sort: `file9` before `file10`.
    case entries([Entry])
    /// The folder cannot be read; the text is the reason in a few words: `permission denied`.
    case unreadable(String)

    /// One name in a folder, and the kind of file to which it refers.
    package struct Entry: Hashable, Sendable {
        /// The kind of a file. A symbolic link has the kind of the file to which it leads.
        package enum Kind: Hashable, Sendable {
            case folder
            /// A regular file with its size in bytes.
            case file(ByteCount)
            /// A device, a pipe, a socket, or a link to nothing.
            case other
        }

        /// The bytes of the name, which can be any except slash and NUL.
        package var name: [UInt8]
        package var kind: Kind

        package init(name: [UInt8], kind: Kind) {
            self.name = name
            self.kind = kind
        }

        package var isHidden: Bool { name.first == UInt8(ascii: ".") }
    }

    /// Reads the entries of a folder, also through a link. The call blocks until the volume responds.
    package init(of folder: LocalPath) {
        do throws(SystemCallError) {
            guard try FileStatus(folder, follows: true).kind == .folder else {
                self = .unreadable("is not a folder")
                return
            }
        } catch {
            if error.code == .noSuchFileOrDirectory {
                self = .unreadable("no such folder")
                return
            }
        }
        do throws(UploadFailure) {
            let path = try folder.resolved()
            do throws(UploadFailure) {
                let entries = try SourceFolder(path).names().map { name in
                    (Entry(name: name, kind: Self.kind(of: path.appending(name))), NaturalOrder.key(of: name))
                }
                self = .entries(entries.sorted(by: Self.precedes).map(\.0))
            } catch {
                self = .unreadable(error.reason(path))
            }
        } catch {
            self = .unreadable(error.reason(folder))
        }
    }

    private static func kind(of path: LocalPath) -> Entry.Kind {
        guard let status = FileStatus.of(path, follows: true) else { return .other }
        return switch status.kind {
        case .folder: .folder
        case .file: .file(status.identity.size)
        case .link, .special, .missing: .other
        }
    }

    private static func precedes(_ left: (Entry, key: [UInt8]), _ right: (Entry, key: [UInt8])) -> Bool {
        let isFolder = (left.0.kind == .folder, right.0.kind == .folder)
        if isFolder.0 != isFolder.1 { return isFolder.0 }
        return NaturalOrder.precedes((left.0.name, left.key), (right.0.name, right.key))
    }
}
