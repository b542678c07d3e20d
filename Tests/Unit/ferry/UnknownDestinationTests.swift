import FerryFiles
import FerryProtocols
import Testing

@testable import FerryCommand

/// Tests the messages about a name that is no destination.
struct UnknownDestinationTests {
    private let assembly = Assembly(configuration: Configuration(), state: LocalPath("/none"))

    private func hint(_ name: String) -> String? {
        do throws(UploadFailure) {
            _ = try assembly.destination(name)
            return nil
        } catch {
            return error.hint
        }
    }

    @Test(arguments: ["127.0.0.1:8080", "host/in/", "uploads.example.org"])
    func `a name that looks like an address leads to its beginning`(name: String) {
        #expect(
            hint(name)
                == "an address begins with http:// or https://; none is configured (`ferry init` sets one up)"
        )
    }

    @Test func `another name leads to the destinations first`() {
        #expect(hint("films") == "none is configured (`ferry init` sets one up); an address works too")
    }
}
