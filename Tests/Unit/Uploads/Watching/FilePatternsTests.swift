import Testing

@testable import FerryUploads

struct FilePatternsTests {
    private func takes(_ patterns: FilePatterns, _ path: String) -> Bool {
        patterns.take(file: path.split(separator: "/").map { Array($0.utf8) })
    }

    @Test(arguments: ["a.mov", "day3/a.mov", "a.PART.mov", "ü ber.wav", "Makefile"])
    func `without patterns every finished file is meant`(path: String) {
        #expect(takes(FilePatterns(), path))
    }

    @Test(
        arguments: [
            ".env", "a.mov.part", "x.tmp", "x.crdownload", "letter.txt~", "~$letter.docx", "#draft#",
            "a.partial",
            "a.filepart", ".a.mov.Kx83Dj", "day3/x.part", ".git/config",
        ])
    func `hidden and unfinished files are left out`(path: String) {
        #expect(!takes(FilePatterns(), path))
        #expect(!takes(FilePatterns(include: ["*", "**/*"]), path))
    }

    @Test func `unfinished names are taken where a pattern is such a name`() {
        #expect(takes(FilePatterns(include: ["*.part"]), "a.part"))
        #expect(!takes(FilePatterns(include: ["*.part"]), "a.tmp"))
        #expect(takes(FilePatterns(include: [".env"]), ".env"))
        #expect(!takes(FilePatterns(include: [".env"]), ".profile"))
        #expect(!takes(FilePatterns(include: [".*"]), ".git/config"))
    }

    @Test func `a pattern without a slash is for the name, one with a slash for the path`() {
        let names = FilePatterns(include: ["*.mov"])
        #expect(takes(names, "a.mov") && takes(names, "day3/cam1/a.mov") && !takes(names, "a.wav"))
        let paths = FilePatterns(include: ["day?/*.mov", "/top.wav", "all/**/*.wav"])
        #expect(takes(paths, "day3/a.mov") && !takes(paths, "a.mov") && !takes(paths, "day3/cam1/a.mov"))
        #expect(takes(paths, "top.wav") && !takes(paths, "day3/top.wav"))
        #expect(takes(paths, "all/a.wav") && takes(paths, "all/b/c/a.wav") && !takes(paths, "b/a.wav"))
    }

    @Test(.timeLimit(.minutes(10))) func `a pattern with many stars takes no longer on a deep path`() {
        let pattern = String(repeating: "**/a/", count: 20) + "b"
        let path = String(repeating: "a/", count: 250)
        #expect(!takes(FilePatterns(include: [pattern]), path + "c"))
        #expect(takes(FilePatterns(include: [pattern]), path + "b"))
    }

    @Test func `an excluded name is left out with everything below it`() {
        let patterns = FilePatterns(include: ["*.mov"], exclude: ["raw", "b*.mov", "day1/x"])
        #expect(takes(patterns, "a.mov"))
        #expect(
            !takes(patterns, "b.mov") && !takes(patterns, "raw/a.mov") && !takes(patterns, "d/raw/e/a.mov"))
        #expect(!takes(patterns, "day1/x/a.mov") && takes(patterns, "day2/x/a.mov"))
    }

    @Test func `there is no looking into hidden or excluded folders`() {
        let patterns = FilePatterns(include: [".*"], exclude: ["raw"])
        #expect(patterns.enter(folder: [Array("day3".utf8)]))
        #expect(!patterns.enter(folder: [Array(".git".utf8)]) && !patterns.enter(folder: [Array("raw".utf8)]))
    }
}
