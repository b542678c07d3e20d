import HTTPTypes
import Testing

@testable import FerryProtocols

/// The recorded responses of real servers, by version.
private struct Recordings: Decodable {
    struct Exchange: Decodable {
        var request: String
        var response: String
    }

    var servers: [String: [String: [String: Exchange]]]
}

/// The recordings of one server in one version.
private struct Recorded {
    static let tusd = "tusd 2.9.2"
    static let nio = "swift-nio-extras 1.35.2 NIOResumableUpload"

    let exchanges: [String: Recordings.Exchange]
    let version: InteropVersion
    let url: String

    init(_ server: String, _ version: InteropVersion) throws {
        self.version = version
        let recordings = try vectors("resumable-responses", as: Recordings.self)
        exchanges = try #require(recordings.servers[server]?["interop \(version.rawValue)"])
        let lines = try #require(exchanges["createEmpty"]).request.split(separator: "\r\n")
        let path = try #require(lines.first?.split(separator: " ").dropFirst().first)
        url = "http://\(try #require(lines.first { $0.hasPrefix("Host: ") }).dropFirst(6))\(path)"
    }

    /// Returns the final response. A protocol does not see interim responses.
    func answer(_ name: String) throws -> ExchangeOutcome {
        var text = try #require(exchanges[name]).response[...]
        while text.hasPrefix("HTTP/1.1 1"), let end = text.firstRange(of: "\r\n\r\n") {
            text = text[end.upperBound...]
        }
        let end = text.firstRange(of: "\r\n\r\n")
        let lines = text[..<(end?.lowerBound ?? text.endIndex)].split(separator: "\r\n").map(String.init)
        let status = try #require(lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let colon = try #require(line.firstIndex(of: ":"))
            let name = try #require(HTTPField.Name(String(line[..<colon])))
            fields.append(
                HTTPField(name: name, value: String(line[line.index(after: colon)...]).trimmingSpaces))
        }
        return .answer(status, fields, body: end.map { String(text[$0.upperBound...]) } ?? "")
    }

    /// Runs an upload to a server without known capabilities up to its first append.
    func begun(chunkSize: ByteCount? = 5) throws -> (upload: ResumableUpload, step: Step) {
        var upload = ResumableUpload(item: .make(url: url), options: .init(chunkSize: chunkSize))
        _ = upload.start(resource: nil, capabilities: nil)
        var step = upload.receive(try answer("options"))
        while step.exchange?.fields[.uploadDraftInteropVersion] != "\(version.rawValue)" {
            step = upload.receive(try answer("unsupportedVersion"))
        }
        step = upload.receive(try answer("createEmpty"))
        return (upload, step)
    }
}

struct ResumableRecordingTests {
    @Test(arguments: [Recorded.tusd, Recorded.nio], [InteropVersion.three, .five, .six])
    func `an upload to a recorded server ends`(server: String, version: InteropVersion) throws {
        // This server responds with its newest version, so older versions are tried only if they are recorded as
        // capabilities.
        guard server == Recorded.tusd || version == .six else { return }
        let recorded = try Recorded(server, version)
        var (upload, step) = try recorded.begun()
        #expect(step.exchange?.body == .file(range: 0..<5))
        #expect(try upload.receive(recorded.answer("append5")).exchange?.body == .file(range: 5..<10))
        #expect(try upload.receive(recorded.answer("appendLast")).receipt?.bytes == 10)
    }

    @Test(arguments: [InteropVersion.three, .five, .six])
    func `swapped fields of completion are understood`(version: InteropVersion) throws {
        let recorded = try Recorded(Recorded.nio, version)
        var upload = ResumableUpload(item: .make(url: recorded.url), options: .init(chunkSize: 5))
        let known = ServerCapabilities(facts: ["resumable-version": "\(version.rawValue)"])
        _ = upload.start(resource: nil, capabilities: known)
        #expect(try upload.receive(recorded.answer("createEmpty")).exchange?.body == .file(range: 0..<5))
        #expect(try upload.receive(recorded.answer("append5")).exchange?.body == .file(range: 5..<10))
        #expect(try upload.receive(recorded.answer("appendLast")).receipt?.bytes == 10)
    }

    @Test(arguments: [Recorded.tusd, Recorded.nio])
    func `a refused offset is asked for`(server: String) throws {
        let recorded = try Recorded(server, .six)
        var (upload, _) = try recorded.begun()
        #expect(try upload.receive(recorded.answer("appendWrongOffset")).exchange?.method == .head)
        let next = try upload.receive(recorded.answer("headAfterConflict")).exchange
        // One of the servers has deleted the upload after the conflict.
        #expect(next?.method == (server == Recorded.tusd ? .patch : .post))
    }

    @Test(arguments: [InteropVersion.three, .five, .six])
    func `an upload resumes at a recorded server's offset`(version: InteropVersion) throws {
        for server in [Recorded.tusd, Recorded.nio] {
            let recorded = try Recorded(server, version)
            var upload = ResumableUpload(item: .make(url: recorded.url), options: .init())
            var resource = UploadResource(url: recorded.url + "/7")
            resource.resumable.interop = version
            _ = upload.start(resource: resource, capabilities: nil)
            let exchange = try upload.receive(recorded.answer("head5")).exchange
            #expect(exchange?.body == .file(range: 5..<10))
            #expect(exchange?.fields[version == .three ? .uploadIncomplete : .uploadComplete] != nil)
        }
    }

    @Test func `a complete upload that a server still knows is done, and one it has forgotten is a question`()
        throws
    {
        for server in [Recorded.tusd, Recorded.nio] {
            let recorded = try Recorded(server, .six)
            var upload = ResumableUpload(item: .make(url: recorded.url), options: .init())
            var resource = UploadResource(url: recorded.url + "/7", confirmed: 5).withWholeBodySent(true)
            resource.resumable.interop = .six
            _ = upload.start(resource: resource, capabilities: nil)
            let step = try upload.receive(recorded.answer("headComplete"))
            if server == Recorded.tusd {
                #expect(step.receipt?.bytes == 10)
            } else {
                #expect(step.failure?.category == .outcomeUnknown)
            }
        }
    }
}
