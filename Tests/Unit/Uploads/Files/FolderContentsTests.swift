import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct FolderContentsTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func entries(_ name: String = "") -> [FolderContents.Entry]? {
        guard case .entries(let entries) = FolderContents(of: LocalPath(folder.path(name))) else {
            return nil
        }
        return entries
    }

    @Test func `folders come first, and names in the order in which people count`() throws {
        for name in ["file10", "file9", "File1", "z/x", "b/x"] { _ = try folder.write([1, 2], to: name) }
        let names = try #require(entries()).map { String(decoding: $0.name, as: UTF8.self) }
        #expect(names == ["b", "z", "File1", "file9", "file10"])
        #expect(entries()?.last?.kind == .file(2))
    }

    @Test func `links are what they lead to`() throws {
        _ = try folder.write([1], to: "day/a")
        #expect(symlink(folder.path("day"), folder.path("link")) == 0)
        #expect(symlink("nowhere", folder.path("broken")) == 0)
        #expect(try #require(entries()).map(\.kind) == [.folder, .folder, .other])
    }

    @Test func `names that are no text are kept as they are`() throws {
        let name: [UInt8] = [0xFF, 0x0A, 0x20]
        let path = LocalPath(folder.path("")).appending(name)
        #expect(path.withCString { mkdir($0, 0o700) } == 0)
        defer { _ = path.withCString { rmdir($0) } }
        #expect(entries()?.map(\.name) == [name])
    }

    @Test func `a folder that is gone, or none, says so`() throws {
        _ = try folder.write([1], to: "file")
        #expect(FolderContents(of: LocalPath(folder.path("gone"))) == .unreadable("no such folder"))
        #expect(FolderContents(of: LocalPath(folder.path("file"))) == .unreadable("is not a folder"))
    }

    @Test(arguments: [
        ("a", "b"), ("file9", "file10"), ("file09", "file10"), ("a", "a1"), ("a1b", "a1c"), ("A", "b"),
        ("9", "99999999999999999999999999"), ("x2y3", "x10y1"), ("A", "a"), ("a01", "a1"), ("1a", "a"),
    ])
    func `natural order puts the first name before the second`(first: String, second: String) {
        let (first, second) = ([UInt8](first.utf8), [UInt8](second.utf8))
        let (one, other) = ((first, NaturalOrder.key(of: first)), (second, NaturalOrder.key(of: second)))
        #expect(NaturalOrder.precedes(one, other))
        #expect(!NaturalOrder.precedes(other, one))
        #expect(!NaturalOrder.precedes(one, one))
    }

    @Test func `a file that is named twice, by a link too, is found once`() throws {
        _ = try folder.write([1], to: "day/a")
        #expect(symlink(folder.path("day"), folder.path("link")) == 0)
        let found = FileSearch(isRecursive: true).find(
            ["day/a", "link/a", "link", "day"].map { LocalPath(folder.path($0)) })
        #expect(found.files.count == 1)
    }

    @Test func `a search that is stopped looks no further`() throws {
        _ = try folder.write([1], to: "day/a")
        let found = FileSearch(isRecursive: true, isStopped: { true }).find([LocalPath(folder.path("day"))])
        #expect(found == FileSelection())
    }
}
