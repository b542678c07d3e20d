import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// Makes an upload. The name `google` is taken by a case of `Creating`.
private func googleUpload() -> GoogleUpload { google() }

/// Tests URLs of any length that servers send.
struct LongAddressTests {
    /// The protocols whose upload resource has a URL that the server chooses.
    enum Creating: String, CaseIterable, Sendable {
        case tus, resumable, google, graph

        var host: String {
            switch self {
            case .tus, .resumable: "server.example"
            case .google: "storage.googleapis.com"
            case .graph: "graph.microsoft.com"
            }
        }

        /// Returns the step after a response with this URL.
        func step(after place: String) -> Step {
            switch self {
            case .tus:
                var tus = TusUpload(item: .make(), options: .init())
                _ = tus.start(resource: nil, capabilities: .tusCore)
                return tus.receive(.answer(201, [.location: place]))
            case .resumable:
                var upload = ResumableUpload(item: .make(), options: .init())
                _ = upload.start(resource: nil, capabilities: .newestResumable)
                return upload.receive(
                    .answer(
                        201, [.location: place, .uploadDraftInteropVersion: "8", .uploadComplete: "?0"]))
            case .google:
                var upload = googleUpload()
                return upload.begun(at: place)
            case .graph:
                var graph = GraphUpload(
                    item: .make(
                        url: "https://graph.microsoft.com/v1.0/me/drive/root:/{name}:/createUploadSession"),
                    options: .init())
                _ = graph.start(resource: nil, capabilities: nil)
                return graph.receive(.answer(200, body: #"{"uploadUrl":"\#(place)"}"#))
            }
        }

        func place(length: Int) -> String {
            let start = self == .google || self == .graph ? "https://\(host)/up/" : "http://\(host)/up/"
            return start + String(repeating: "x", count: length - start.utf8.count)
        }
    }

    @Test(arguments: Creating.allCases)
    func `an address of 8 KiB is used`(creating: Creating) throws {
        let place = creating.place(length: UploadAddress.longest)
        #expect(creating.step(after: place).exchange?.url == place)
    }

    @Test(arguments: Creating.allCases, [UploadAddress.longest + 1, 70_000, 2_000_000])
    func `a longer address is a failure that names the server`(creating: Creating, length: Int) throws {
        let failure = try #require(creating.step(after: creating.place(length: length)).failure)
        #expect(failure.category == .permanent)
        #expect(
            failure.summary
                == "\(creating.host) sent an address of \(length) bytes; at most \(UploadAddress.longest) are taken"
        )
    }

    @Test func `a location that is too long is not in the receipt`() {
        let place = "/" + String(repeating: "x", count: 70_000)
        let exchange = Exchange(.post, "http://server.example/in")
        let step = SingleRequestUpload.step(.answer(201, [.location: place]), to: exchange, size: 1)
        #expect(step.receipt != nil && step.receipt?.location == nil)
    }

    @Test func `an address that grows when it is written out is measured as it is sent`() {
        // Percent-encoding makes six bytes of each letter.
        let place = "/" + String(repeating: "é", count: 4000)
        #expect(UploadAddress.absolute(place, against: "http://server.example/") == nil)
    }
}

/// Tests hosts that are reachable only within a private network.
struct PrivateHostTests {
    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "0.0.0.0", "10.0.0.1", "172.16.0.1",
        "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "localhost", "LOCALHOST",
        "a.localhost",
        "localhost.", "127.0.0.1.", "::1", "[::1]", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "fc00::",
        "::ffff:10.0.0.1", "::ffff:7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1",
    ])
    func `a private host is known in each writing`(host: String) {
        #expect(PrivateHost.isPrivate(host))
    }

    @Test(arguments: [
        "example.org", "8.8.8.8", "172.15.0.1", "172.32.0.1", "192.169.0.1", "169.253.0.1", "100.128.0.1",
        "2001:db8::1", "fec0::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "localhost.example",
        "127.0.0.1.example", "1.2.3.4.5", "",
        "x:y",
        "256.1.1.1", "0x", "4294967296", "::1::",
    ])
    func `any other host is none`(host: String) {
        #expect(!PrivateHost.isPrivate(host))
    }

    @Test(arguments: [
        ("https://drive.example/", "https://10.0.0.1/up", true),
        ("https://drive.example/", "https://[::1]/up", true),
        ("https://10.0.0.9/", "https://10.0.0.1/up", false),
        ("https://localhost/", "https://127.0.0.1/up", false),
        ("https://drive.example/", "https://other.example/up", false),
    ])
    func `only what is inside may lead inside`(origin: String, place: String, leads: Bool) throws {
        #expect(
            UploadAddress.leadsInside(
                try #require(URL(string: place)), from: try #require(URL(string: origin))) == leads)
    }
}
