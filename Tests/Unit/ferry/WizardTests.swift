import FerryProtocols
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryCommand

/// Tests the questions of `ferry init`, and the destinations that result from the inputs.
struct WizardTests {
    /// A prompt whose inputs the test has written before.
    private final class Script: Prompt {
        var left: [String]
        var said: [String] = []

        init(_ answers: [String]) { left = answers }

        func line(_ question: String) -> String? { left.isEmpty ? nil : left.removeFirst() }
        func secret(_ question: String) -> String? { line(question) }
        func say(_ text: String) { said.append(text) }
    }

    private func ask(_ answers: String..., besides taken: Set<String> = []) throws -> (
        DestinationDraft, Script
    ) {
        let script = Script(answers)
        let assembly = Assembly(configuration: Configuration(), state: LocalPath("/none"))
        let wizard = Wizard(
            prompt: script, taken: taken,
            parseAddress: { address throws(UploadFailure) in try assembly.destination(address) })
        let draft = try wizard.destination(at: nil)
        #expect(script.left.isEmpty)
        return (draft, script)
    }

    @Test func `an address and empty inputs are enough`() throws {
        let (draft, _) = try ask("tus+https://uploads.example.org/files/", "", "")
        #expect(
            draft
                == DestinationDraft(
                    name: "uploads", url: "https://uploads.example.org/files/", protocolName: "tus"))
    }

    @Test func `an address without a scheme is taken as https, and said so`() throws {
        let (draft, script) = try ask("files.example.org/in/", "", "1")
        #expect(draft.url == "https://files.example.org/in/")
        #expect(draft.protocolName == "auto")
        #expect(script.said.first == "  taken as https://files.example.org/in/")
    }

    @Test func `an invalid entry is asked for again, with the reason`() throws {
        let (draft, script) = try ask(
            "", "ftp://h/", "https://ann:pw@h.example/", "https://h.example/", "my box", "h", "box", "4",
            "\(Int.min)", "2",
            "a:b",
            "ann", "", "pw", besides: ["h"])
        #expect(draft.name == "box")
        #expect(draft.signIn == .basic(user: "ann", password: .typed("pw")))
        let reasons = script.said.filter { $0.hasPrefix("  ") && $0.contains(" ") && !$0.hasPrefix("  1") }
        for part in [
            "expected an address", "ftp", "user or password", "letters, digits", "there is a destination h",
            "from 1 to 3", "without a colon", "expected something",
        ] {
            #expect(reasons.contains { $0.contains(part) }, "\(part) in \(reasons)")
        }
    }

    @Test func `a bucket asks for keys`() throws {
        let (draft, _) = try ask("s3://photos/2026/", "", "3", "AKIA", "$S3_SECRET")
        #expect(draft.name == "photos" || draft.name == "s3", "\(draft.name)")
        #expect(draft.url == "s3://photos/2026/")
        #expect(draft.protocolName == "s3")
        #expect(draft.signIn == .s3Keys(accessKey: "AKIA", secretKey: .environment("S3_SECRET")))
    }

    @Test(arguments: [
        ("$TOKEN", DestinationDraft.SecretInput.environment("TOKEN")), ("$_2", .environment("_2")),
        ("$ecret", .typed("$ecret")), ("$", .typed("$")), ("$1A", .typed("$1A")), ("TOKEN", .typed("TOKEN")),
    ])
    func `only what looks like a variable is one`(text: String, answer: DestinationDraft.SecretInput) {
        #expect(DestinationDraft.SecretInput(text) == answer)
    }

    @Test func `input that ends is no destination`() {
        #expect(throws: Wizard.NoInput.self) { try ask("https://h.example/", "box", "3") }
    }

    @Test func `a name that is taken gets a number`() {
        let name = DestinationDraft.name(for: "https://h.example/", besides: ["h", "h-2"])
        #expect(name == "h-3")
    }
}
