import Testing

@testable import FerryTUI

struct SuggestionsTests {
    @Test(arguments: [
        ("flims", "films"), ("ulr", "url"), ("pohtos", "photos"), ("film", "films"), ("Films", "films"),
        ("url", "url"),
    ])
    func `a swap of two neighbouring letters is one edit`(word: String, name: String) {
        #expect(Suggestions.nearest(to: word, among: ["films", "photos", "url"]) == name)
    }

    @Test(arguments: ["lur", "smlif", "", "x"])
    func `a word that is two edits away from short names has no suggestion`(word: String) {
        #expect(Suggestions.nearest(to: word, among: ["films", "photos", "url"]) == nil)
    }

    @Test func `every hint asks in the same form`() {
        #expect(Suggestions.question(["a", "b"]) == "did you mean `a` or `b`?")
        #expect(
            Suggestions.hint(for: "flims", among: ["films", "photos"])
                == "did you mean `films`? known are films, photos")
        #expect(Suggestions.hint(for: "zzzzz", among: ["films"]) == "known are films")
        #expect(Suggestions.hint(for: "films", among: []) == nil)
        #expect(Suggestions.remark(on: "flims", among: ["films"]) == " (did you mean `films`?)")
        #expect(Suggestions.remark(on: "zzzzz", among: ["films"]).isEmpty)
    }
}
