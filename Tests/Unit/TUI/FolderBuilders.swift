import FerryTestSupport
import FerryTransfer
import FerryUploads

@testable import FerryTUI

extension BrowsedFolder {
    /// Makes a folder with these names. A name with a slash at its end is a folder.
    static func make(_ path: String, _ names: String...) -> BrowsedFolder {
        make(path, names: names)
    }

    static func make(_ path: String, names: [String], size: Int64 = 2048) -> BrowsedFolder {
        let entries = names.map { name -> FolderContents.Entry in
            name.hasSuffix("/")
                ? .init(name: Array(name.dropLast().utf8), kind: .folder)
                : .init(name: Array(name.utf8), kind: .file(size))
        }
        return BrowsedFolder(
            path: LocalPath(path), text: path == "/" ? path : path + "/", contents: .entries(entries))
    }

    /// Makes a random result of reading a folder.
    static func make(_ reference: FolderReference, _ dice: inout SeededGenerator) -> BrowsedFolder {
        let path =
            switch reference {
            case .line: LocalPath(["/", "/out", "/out/報告\u{1B}"].randomElement(using: &dice) ?? "/")
            case .folder(let path): path
            }
        guard dice.happens(80) else {
            return BrowsedFolder(path: path, text: nil, contents: .unreadable("no\u{1B}where"))
        }
        let names: [[UInt8]] = [
            Array("a".utf8), Array("報告.pdf".utf8), [0xFF, 0xFE], [0x0A], [0x1B, 0x5B, 0x41],
            Array(" ' ".utf8),
            Array(".hidden".utf8), Array(repeating: 0x78, count: 255), Array("\u{202E}x".utf8),
        ]
        let entries = (0..<Int.random(in: 0...60, using: &dice)).map { number in
            FolderContents.Entry(
                name: (names.randomElement(using: &dice) ?? []) + Array("\(number)".utf8),
                kind: [.folder, .file(0), .file(.max), .other].randomElement(using: &dice) ?? .other)
        }
        return BrowsedFolder(
            path: path, text: dice.happens(80) ? path.text + "/" : nil, contents: .entries(entries))
    }
}
