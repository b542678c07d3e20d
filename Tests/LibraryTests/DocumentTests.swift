import Testing

struct DocumentTests {
    @Test func `the code in the documents is the code that is compiled here`() throws {
        let examples = Set(try Document.examples().map(\.code))
        let blocks = try Document.blocks()
        #expect(blocks.count { $0.place.hasPrefix("README.md") } == 1)
        #expect(blocks.count { $0.place.hasPrefix("Sources/Manual/library.md") } == 5)
        for block in blocks {
            let isExample = examples.contains(block.code)
            #expect(isExample, "\(block.place) is no example of Tests/LibraryTests/Examples")
        }
    }

    @Test func `every example is in a document`() throws {
        let shown = Set(try Document.blocks().map(\.code))
        for example in try Document.examples() {
            let isShown = shown.contains(example.code)
            #expect(isShown, "\(example.place) is nowhere to be read")
        }
    }

    @Test func `no page has code in a language that is not compiled`() throws {
        let languages = Set(["```", "```swift", "```sh", "```json", "```nginx", "```text"])
        for page in try Document.pages() {
            let fences = page.text.split(separator: "\n").filter { $0.hasPrefix("```") }.map(String.init)
            #expect(Set(fences).isSubset(of: languages), "\(page.name)")
        }
    }
}
