import Testing

@testable import FerryUploads

struct DirtySetTests {
    @Test func `a record that was begun before a refusal does not make up for it`() {
        var unsaved = DirtySet()
        let begun = unsaved.now
        unsaved.insert([1, 2])
        unsaved.saved([1, 2], begunAt: begun)
        #expect(unsaved.contains(1) && unsaved.contains(2))
    }

    @Test func `a record that was begun after a refusal makes up for it, and for no other upload's`() {
        var unsaved = DirtySet()
        unsaved.insert([1, 2])
        unsaved.saved([1], begunAt: unsaved.now)
        #expect(!unsaved.contains(1) && unsaved.contains(2))
    }
}
