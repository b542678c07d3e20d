import FerryReceiver
import Testing

@testable import FerryCommand

/// Tests `ferry demo` without its screen. Tests/Terminal/test_demo.py tests it with the screen.
struct DemoTests {
    @Test func `the receiver of the demo has a quota, and a token that the destinations send`() throws {
        let settings = DemoCommand.receiver(into: "/in")
        #expect(settings.makesToken)
        #expect(settings.limits.quota != nil)
        let address = ReceiverAddress(host: settings.host, port: 1)
        let configuration = try DemoFolder.configuration(address, token: "0123456789abcdef")
        #expect(configuration.destinations.keys.sorted() == ["films", "photos"])
        for destination in configuration.destinations.values {
            #expect(destination.authentication == .bearer(.literal("0123456789abcdef")))
        }
    }
}
