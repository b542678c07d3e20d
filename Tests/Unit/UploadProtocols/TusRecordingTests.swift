import HTTPTypes
import Testing

@testable import FerryProtocols

/// The recorded responses of real servers.
private struct Recordings: Decodable {
    struct Exchange: Decodable {
        var request: String
        var response: String
    }

    var servers: [String: [String: Exchange]]
}

private func answer(_ exchange: Recordings.Exchange?) throws -> ExchangeOutcome {
    let response = try #require(exchange).response
    let parts = response.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
    let lines = try #require(parts.first).split(separator: "\r\n").map(String.init)
    let status = try #require(lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    var fields = HTTPFields()
    for line in lines.dropFirst() {
        let colon = try #require(line.firstIndex(of: ":"))
        let name = try #require(HTTPField.Name(String(line[..<colon])))
        fields.append(
            HTTPField(name: name, value: String(line[line.index(after: colon)...]).trimmingSpaces))
    }
    return .answer(status, fields, body: parts.count > 1 ? parts[1] : "")
}

struct TusRecordingTests {
    private static let servers = ["tusd 2.9.2 (memory locker, file store)", "tuspyserver 4.4.3"]

    /// Returns the URL of the recorded server, taken from a recorded request.
    private static func url(_ recorded: [String: Recordings.Exchange]) throws -> String {
        let request = try #require(recorded["create"]).request
        let host = try #require(request.split(separator: "\r\n").first { $0.hasPrefix("Host: ") }).dropFirst(
            6)
        return "http://\(host)/files/"
    }

    @Test(arguments: servers)
    func `an upload to a recorded server ends`(server: String) throws {
        let recorded = try #require(try vectors("tus-responses", as: Recordings.self).servers[server])
        var tus = TusUpload(item: .make(url: try Self.url(recorded)), options: .init(chunkSize: 5))
        _ = tus.start(resource: nil, capabilities: nil)
        // The recorded creation had no content and its response has no offset, so the whole file is appended.
        _ = tus.receive(try answer(recorded["options"]))
        #expect(try tus.receive(answer(recorded["create"])).exchange?.body == .file(range: 0..<5))
        #expect(try tus.receive(answer(recorded["patch5"])).exchange?.body == .file(range: 5..<10))
        #expect(try tus.receive(answer(recorded["patchWrongOffset"])).exchange?.method == .head)
        #expect(try tus.receive(answer(recorded["head5"])).exchange?.body == .file(range: 5..<10))
        #expect(try tus.receive(answer(recorded["patchLast"])).exchange?.method == .head)
        #expect(tus.receive(.answer(200, [.uploadOffset: "10"])).receipt?.bytes == 10)
    }

    @Test(arguments: servers)
    func `a recorded server that knows nothing of an upload gets a new one`(server: String) throws {
        let recorded = try #require(try vectors("tus-responses", as: Recordings.self).servers[server])
        var tus = TusUpload(item: .make(url: try Self.url(recorded)), options: .init())
        let url = try Self.url(recorded) + "gone"
        _ = tus.start(resource: UploadResource(url: url), capabilities: .init(extensions: ["creation"]))
        #expect(try tus.receive(answer(recorded["headUnknown"])).exchange?.method == .post)
    }
}
