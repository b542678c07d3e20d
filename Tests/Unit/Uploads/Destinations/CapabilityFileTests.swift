import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import Foundation
import Testing

@testable import FerryTransfer
@testable import FerryUploads

/// Tests the file with the servers' capabilities.
struct CapabilityFileTests {
    private static let place = CapabilityKey(
        destination: "films", url: "https://h.example/files/?key=CANARY", protocolName: "auto")
    private static let known = ServerCapabilities(
        extensions: ["creation"], maximumSize: 5, facts: ["protocol": "tus"],
        asked: Date(timeIntervalSince1970: 1_760_000_000))

    private let state: TemporaryState
    private let file: CapabilityFile
    private let clock = ManualClock()
    private let start = ContinuousClock.now

    init() throws {
        state = try TemporaryState()
        file = CapabilityFile(folder: LocalPath(state.path))
    }

    private var another: CapabilityFile {
        CapabilityFile(folder: LocalPath(state.path)) { [clock, start] in start + clock.now.offset }
    }

    @Test func `kept capabilities are there for the next process, and a second later for another one`() {
        #expect(file.capabilities(of: Self.place) == nil)
        let reader = another
        #expect(reader.capabilities(of: Self.place) == nil)
        file.keep(KnownSecrets().redact(Self.known), of: Self.place)
        #expect(another.capabilities(of: Self.place) == Self.known)
        clock.advance(by: .seconds(1))
        #expect(reader.capabilities(of: Self.place) == Self.known)
    }

    @Test func `storing keeps what another process has stored since`() {
        let writer = another
        #expect(writer.capabilities(of: Self.place) == nil)
        file.keep(KnownSecrets().redact(Self.known), of: Self.place)
        writer.keep(KnownSecrets().redact(Self.known), of: Self.server(1))
        #expect(another.capabilities(of: Self.place) == Self.known)
        #expect(another.capabilities(of: Self.server(1)) == Self.known)
    }

    /// Each server is asked at two addresses.
    private static func server(_ number: Int) -> CapabilityKey {
        CapabilityKey(
            destination: "", url: "https://\(number / 2).example/\(number % 2)", protocolName: "auto")
    }

    private func keepFrom501Servers() {
        for number in 1...501 {
            var known = Self.known
            known.asked = Date(timeIntervalSince1970: Double(number))
            file.keep(KnownSecrets().redact(known), of: Self.server(number))
        }
    }

    @Test func `the 500 servers that were asked last are kept`() {
        keepFrom501Servers()
        let reader = another
        #expect((1...501).filter { reader.capabilities(of: Self.server($0)) != nil } == Array(2...501))
    }

    /// Capabilities that one server reports, whose texts have `length` bytes.
    private static func large(_ length: Int) -> Redacted<ServerCapabilities> {
        KnownSecrets().redact(
            ServerCapabilities(facts: ["x": String(repeating: "x", count: length)], asked: known.asked))
    }

    @Test func `a server may fill the file to 1 MiB, and one byte more displaces no other server`() throws {
        file.keep(KnownSecrets().redact(Self.known), of: Self.place)
        let other = CapabilityKey(destination: "", url: "https://other.example/", protocolName: "auto")
        file.keep(Self.large(0), of: other)
        let size = try Data(contentsOf: URL(filePath: state.path + "/capabilities.json")).count
        let room = 1 << 20 - size
        file.keep(Self.large(room), of: other)
        #expect(another.capabilities(of: other) != nil && another.capabilities(of: Self.place) == Self.known)
        file.keep(Self.large(room + 1), of: other)
        #expect(file.capabilities(of: other) == nil && file.capabilities(of: Self.place) == Self.known)
        #expect(another.capabilities(of: other) == nil && another.capabilities(of: Self.place) == Self.known)
    }

    @Test func `500 servers are remembered where the file cannot be written, and no response beyond 1 MiB`()
        throws
    {
        try Data().write(to: URL(filePath: state.path))
        keepFrom501Servers()
        file.keep(Self.large(1 << 20), of: Self.place)
        #expect(file.capabilities(of: Self.place) == nil)
        // It counted as one of the 500.
        #expect((1...501).filter { file.capabilities(of: Self.server($0)) != nil } == Array(3...501))
    }

    @Test func `asking makes no folder`() {
        _ = file.capabilities(of: Self.place)
        #expect(!FileManager.default.fileExists(atPath: state.path))
    }

    @Test func `the file is its owner's alone, whole, and without the query`() throws {
        file.keep(KnownSecrets().redact(Self.known), of: Self.place)
        #expect(try state.mode(of: "capabilities.json") == 0o600)
        let text = try String(contentsOfFile: state.path + "/capabilities.json", encoding: .utf8)
        #expect(!text.contains("CANARY"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: state.path) == ["capabilities.json"])
    }

    @Test func `another destination, address or protocol has its own`() {
        file.keep(KnownSecrets().redact(Self.known), of: Self.place)
        for other in [
            CapabilityKey(destination: "", url: Self.place.url, protocolName: "auto"),
            CapabilityKey(destination: "films", url: "https://h.example/", protocolName: "auto"),
            CapabilityKey(destination: "films", url: Self.place.url, protocolName: "tus"),
        ] {
            #expect(file.capabilities(of: other) == nil)
        }
    }

    @Test(arguments: [
        "", "{", "null", "[]", #"{"version":2,"entries":[]}"#, #"{"version":1,"entries":[{"place":1}]}"#,
        #"{"version":1}"#, String(repeating: " ", count: 2 << 20),
    ])
    func `a file that cannot be read is taken for empty and replaced`(text: String) throws {
        file.keep(KnownSecrets().redact(Self.known), of: Self.place)
        try state.put(text, as: "capabilities.json")
        #expect(another.capabilities(of: Self.place) == nil)
        another.keep(KnownSecrets().redact(Self.known), of: Self.place)
        #expect(another.capabilities(of: Self.place) == Self.known)
    }

    @Test func `a file that others could have written is not believed`() throws {
        file.keep(KnownSecrets().redact(Self.known), of: Self.place)
        try state.setMode(0o666, of: state.path + "/capabilities.json")
        #expect(another.capabilities(of: Self.place) == nil)
    }

    @Test func `capabilities that cannot be written are kept for this process`() throws {
        try Data().write(to: URL(filePath: state.path))
        file.keep(KnownSecrets().redact(Self.known), of: Self.place)
        #expect(file.capabilities(of: Self.place) == Self.known)
        #expect(another.capabilities(of: Self.place) == nil)
    }

    @Test(arguments: [(0, true), (86_400, true), (86_401, false), (-86_401, false), (-3653 * 86_400, false)])
    func `S17 a day is how long it is relied on, by a clock that was put back too`(
        seconds: Double, isFresh: Bool
    ) {
        let asked = Date(timeIntervalSince1970: 1_760_000_000)
        #expect(ServerCapabilities(asked: asked).isFresh(at: asked + seconds) == isFresh)
    }

    @Test func `capabilities without a date are asked for again`() {
        #expect(!ServerCapabilities().isFresh(at: Date()))
    }
}
