import FerryFiles
import Testing

struct LocalPathTests {
    private static let paths =
        ["", "/", "/a", "/a/", "/a/b", "/a/c", "a/b"].map { LocalPath($0) }
        + [LocalPath(bytes: [0x2F, 0xFF]), LocalPath(bytes: [0x2F, 0xFE])]

    @Test func `paths are equal if all their bytes are equal`() {
        for (index, path) in Self.paths.enumerated() {
            for (other, copy) in Self.paths.enumerated() {
                #expect((path == LocalPath(bytes: copy.bytes.map { $0 })) == (index == other))
            }
        }
    }

    @Test func `a path is found in a set by its bytes`() {
        let set = Set(Self.paths)
        #expect(set.count == Self.paths.count)
        #expect(set.contains(LocalPath(bytes: Array("/a/b".utf8))))
        #expect(!set.contains(LocalPath("/a/d")))
    }
}
