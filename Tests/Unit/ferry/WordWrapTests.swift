import Testing

@testable import FerryCommand

/// Tests how lines are wrapped at the width of a terminal.
struct WordWrapTests {
    private func wrapped(_ line: String, _ columns: Int = 20) -> [String] {
        WordWrap.lines(line, columns: columns)
    }

    @Test(arguments: ["", "short", "exactly twenty wide.", "    "])
    func `a line that fits stays as it is`(line: String) {
        #expect(wrapped(line) == [line])
    }

    @Test func `no word is broken, and none is lost`() {
        #expect(wrapped("Nothing is written before the end.") == ["Nothing is written", "before the end."])
        #expect(wrapped("  Nothing is written now.") == ["  Nothing is written", "  now."])
    }

    @Test func `text that follows a label wraps below its own beginning`() {
        #expect(
            wrapped("  hint  check the url once more") == [
                "  hint  check the", "        url once", "        more",
            ])
        #expect(wrapped("  a-very-long-label  and words") == ["  a-very-long-label", "  and words"])
    }

    @Test func `a word that is too long stays whole`() {
        #expect(
            wrapped("see https://host.example.org/folder/ now")
                == ["see", "https://host.example.org/folder/", "now"])
    }

    @Test func `the blank behind a question stays there`() {
        #expect(wrapped("Is it really meant so? [y/N] ") == ["Is it really meant", "so? [y/N] "])
    }
}
