import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests with the recorded responses of real servers.
struct S3RecordingTests {
    private struct Recordings: Decodable {
        struct Exchange: Decodable {
            var response: String
        }

        var servers: [String: [String: Exchange]]
    }

    private static let servers = ["moto 5.2.1", "OpenStack Swift 2.38.3 s3api"]
    private static let size = 5 * megabyte + 4

    private func answer(_ server: String, _ name: String) throws -> ExchangeOutcome {
        let recordings = try vectors("s3-responses", as: Recordings.self)
        let response = try #require(recordings.servers[server]?[name]).response
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
        var body = parts.count > 1 ? parts[1] : ""
        // The recordings contain raw bodies: one chunk and the last chunk.
        if fields[.transferEncoding] == "chunked" {
            body =
                body.split(separator: "\r\n", omittingEmptySubsequences: false)[1...].first.map(String.init)
                ?? ""
        }
        return .answer(status, fields, body: body)
    }

    private func started() -> (upload: S3Upload, create: Step) {
        let url = "http://127.0.0.1:18213/cap/{name}"
        var item = UploadItem.make(url: url, name: "k", size: Self.size)
        item.contentType = "text/plain"
        var upload = S3Upload(item: item, options: .init(chunkSize: 5 * megabyte))
        let step = upload.start(resource: nil, capabilities: nil)
        return (upload, step)
    }

    @Test(arguments: servers)
    func `an upload to a recorded server ends`(server: String) throws {
        var (upload, step) = started()
        step = upload.receive(try answer(server, "create"), to: try #require(step.exchange))
        let parts = step.exchanges
        #expect(parts.map(\.part) == [1, 2])
        let resource = try #require(step.notes.lastResource)
        _ = upload.receive(try answer(server, "part2"), to: parts[1])
        step = upload.receive(try answer(server, "part1"), to: parts[0])
        let complete = try #require(step.exchange)
        #expect(complete.url == resource.url)
        step = upload.receive(try answer(server, "complete"), to: complete)
        #expect(step.receipt?.entityTag == "\"ad75efb1f93d0873aa6555e8c351656d-2\"")
        #expect(complete.markBeforeLastBytes?.memory["etag"] == "ad75efb1f93d0873aa6555e8c351656d-2")
    }

    @Test(arguments: servers)
    func `an upload resumes from a recorded list`(server: String) throws {
        let created = try answerAfterCreation(server)
        var (upload, step) = started()
        step = upload.start(resource: created, capabilities: nil)
        step = upload.receive(try answer(server, "listPartsPage"), to: try #require(step.exchange))
        #expect(step.exchange?.url.contains("part-number-marker=1&") == true)
        step = upload.receive(try answer(server, "listParts"), to: try #require(step.exchange))
        #expect(step.exchange?.kind == "POST uploadId")
    }

    @Test(arguments: servers)
    func `a recorded refusal of parts has them listed again`(server: String) throws {
        let created = try answerAfterCreation(server)
        var (upload, step) = started()
        step = upload.start(resource: created, capabilities: nil)
        step = upload.receive(try answer(server, "listParts"), to: try #require(step.exchange))
        step = upload.receive(try answer(server, "completeBadETag"), to: try #require(step.exchange))
        #expect(step.exchange?.kind == "GET uploadId")
    }

    @Test(arguments: servers)
    func `a recorded upload that is gone is looked for at its final address`(server: String) throws {
        var created = try answerAfterCreation(server)
        created.memory["completing"] = "yes"
        created.memory["etag"] = "ad75efb1f93d0873aa6555e8c351656d-2"
        var (upload, step) = started()
        step = upload.start(resource: created, capabilities: nil)
        #expect(step.exchange?.kind == "HEAD")
        step = upload.receive(try answer(server, "headObject"), to: try #require(step.exchange))
        #expect(step.receipt?.bytes == Self.size)
        created.memory["completing"] = nil
        step = upload.start(resource: created, capabilities: nil)
        step = upload.receive(try answer(server, "listAfterAbort"), to: try #require(step.exchange))
        #expect(step.exchange?.kind == "POST uploads")
    }

    @Test(arguments: servers)
    func `a recorded missing bucket is reported`(server: String) throws {
        var (upload, step) = started()
        step = upload.receive(try answer(server, "noSuchBucket"), to: try #require(step.exchange))
        #expect(
            step.failure?.summary.contains("404 NoSuchBucket: The specified bucket does not exist") == true)
    }

    @Test(arguments: servers)
    func `recorded leftovers are listed`(server: String) throws {
        var check = S3Check(url: "http://127.0.0.1:18213/cap/", options: .init())
        _ = check.start()
        _ = check.receive(.answer(200, body: "<ListBucketResult/>"))
        _ = check.receive(try answer(server, "listUploads"))
        guard case .finished(let report) = check.receive(.answer(404)) else {
            Issue.record("the check goes on")
            return
        }
        #expect(report.leftovers.map(\.name) == ["k"])
        #expect(report.leftovers.first?.begun != nil)
    }

    @Test(arguments: servers)
    func `recorded responses with random changes do no harm`(server: String) throws {
        let names = ["create", "listParts", "listUploads", "completeBadETag", "complete", "noSuchBucket"]
        var random = SystemRandomNumberGenerator()
        for name in names {
            guard case .responded(let recorded) = try answer(server, name) else { continue }
            for _ in 0..<40 {
                var changed = recorded
                for _ in 0..<Int.random(in: 1...6) {
                    let place = Int.random(in: 0..<changed.body.count)
                    changed.body[place] = .random(in: .min ... .max, using: &random)
                }
                changed.body.removeLast(Int.random(in: 0...1) * Int.random(in: 0..<changed.body.count))
                _ = S3Error(changed).failure
                _ = S3PartPage(changed.body, digest: .crc64nvme)
                _ = S3UploadPage(changed.body)
                _ = S3Completion(changed.body)
                _ = S3Creation.uploadID(in: changed.body)
            }
        }
    }

    private func answerAfterCreation(_ server: String) throws -> UploadResource {
        var (upload, step) = started()
        step = upload.receive(try answer(server, "create"), to: try #require(step.exchange))
        return try #require(step.notes.lastResource)
    }
}
