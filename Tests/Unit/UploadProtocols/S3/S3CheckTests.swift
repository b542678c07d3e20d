import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

struct S3CheckTests {
    private func asked(_ step: CheckStep) -> Exchange? {
        if case .send(let exchange) = step { exchange } else { nil }
    }

    private func finished(_ step: CheckStep) -> CheckReport? {
        if case .finished(let report) = step { report } else { nil }
    }

    private func failed(_ step: CheckStep) -> UploadFailure? {
        if case .failed(let failure) = step { failure } else { nil }
    }

    private static let empty = "<ListBucketResult><Name>b</Name></ListBucketResult>"
    private static let none =
        "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>"

    @Test func `the bucket and what is unfinished below the prefix are asked for`() throws {
        var check = S3Check(url: "https://h.example/b/in box/", options: .init())
        var request = try #require(asked(check.start()))
        #expect(request.method == .get)
        #expect(request.url == "https://h.example/b/?list-type=2&max-keys=1&prefix=in%20box%2F")
        let region = HTTPFields([.init(name: .init("x-amz-bucket-region")!, value: "eu-west-1")])
        request = try #require(asked(check.receive(.answer(200, region, body: Self.empty))))
        #expect(request.url == "https://h.example/b/?uploads=&max-uploads=1000&prefix=in%20box%2F")
        let report = try #require(finished(check.receive(.answer(200, body: Self.none))))
        #expect(report.findings.first == "the bucket b is there and can be read, in the region eu-west-1")
        #expect(report.findings.last == "no unfinished uploads are there")
        #expect(report.leftovers.isEmpty)
    }

    @Test func `unfinished uploads of all pages can be removed`() throws {
        var check = S3Check(url: "https://h.example/b/p/", options: .init())
        _ = check.start()
        _ = check.receive(.answer(200, body: Self.empty))
        let first =
            "<L><IsTruncated>true</IsTruncated><NextKeyMarker>p/a b</NextKeyMarker>"
            + "<NextUploadIdMarker>U/1</NextUploadIdMarker><Upload><Key>p/a b</Key><UploadId>U/1</UploadId>"
            + "<Initiated>2026-11-20T23:27:37.000Z</Initiated></Upload><Upload><Key>q</Key><UploadId>2</UploadId></Upload></L>"
        let request = try #require(asked(check.receive(.answer(200, body: first))))
        #expect(request.url.contains("&key-marker=p%2Fa%20b&upload-id-marker=U%2F1&"))
        let second =
            "<L><Upload><Key>p/c</Key><UploadId>3</UploadId><Initiated>never</Initiated></Upload></L>"
        let size = try #require(asked(check.receive(.answer(200, body: second))))
        #expect(size.url == "https://h.example/b/p/a%20b?uploadId=U%2F1")
        let parts =
            "<L><UploadId>U/1</UploadId><IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker>"
            + "<Part><PartNumber>1</PartNumber><Size>5</Size><ETag>e</ETag></Part></L>"
        let more = try #require(asked(check.receive(.answer(200, body: parts))))
        #expect(more.url == "https://h.example/b/p/a%20b?uploadId=U%2F1&part-number-marker=1")
        let rest =
            "<L><UploadId>U/1</UploadId><Part><PartNumber>2</PartNumber><Size>3</Size><ETag>e</ETag></Part></L>"
        #expect(asked(check.receive(.answer(200, body: rest)))?.url == "https://h.example/b/p/c?uploadId=3")
        let report = try #require(finished(check.receive(FakeS3.error(404, "NoSuchUpload"))))
        #expect(report.leftovers.map(\.name) == ["a b", "c"])
        #expect(report.leftovers.map(\.size) == [8, nil])
        #expect(report.leftovers.map(\.begun) == [Date(timeIntervalSince1970: 1_795_217_257), nil])
        let upload = S3Upload(item: .object(1), options: .init())
        #expect(
            upload.removal(of: report.leftovers[0].resource).first?.url
                == "https://h.example/b/p/a%20b?uploadId=U%2F1")
    }

    @Test(arguments: [ExchangeOutcome.answer(403), .broken(UploadFailure(.network, "cut"), bodySent: nil)])
    func `a size that is not reported leaves the list as it is`(reply: ExchangeOutcome) throws {
        var check = S3Check(url: "https://h.example/b/p/", options: .init())
        _ = check.start()
        _ = check.receive(.answer(200, body: Self.empty))
        let list = "<L><Upload><Key>p/c</Key><UploadId>3</UploadId></Upload></L>"
        #expect(asked(check.receive(.answer(200, body: list))) != nil)
        let report = try #require(finished(check.receive(reply)))
        #expect(report.leftovers.map(\.name) == ["c"])
        #expect(report.leftovers.first?.size == nil)
    }

    @Test func `pages without end are not followed for ever`() throws {
        var check = S3Check(url: "https://h.example/b/", options: .init())
        _ = check.start()
        var step = check.receive(.answer(200, body: Self.empty))
        var pages = 0
        while asked(step) != nil {
            pages += 1
            step = check.receive(
                .answer(200, body: "<L><IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker></L>"))
        }
        #expect(pages == 20)
        #expect(finished(step) != nil)
    }

    @Test func `lists of parts without end leave the size unknown, and the check ends`() throws {
        var check = S3Check(url: "https://h.example/b/", options: .init())
        _ = check.start()
        _ = check.receive(.answer(200, body: Self.empty))
        let uploads = (1...100).map { "<Upload><Key>k\($0)</Key><UploadId>\($0)</UploadId></Upload>" }
        var step = check.receive(.answer(200, body: "<L>\(uploads.joined())</L>"))
        var requests = 2
        while asked(step) != nil {
            requests += 1
            try #require(requests <= 220)
            step = check.receive(
                .answer(
                    200,
                    body: "<L><UploadId>U</UploadId><IsTruncated>true</IsTruncated>"
                        + "<NextPartNumberMarker>\(requests)</NextPartNumberMarker>"
                        + "<Part><PartNumber>\(requests)</PartNumber><Size>5</Size><ETag>e</ETag></Part></L>")
            )
        }
        // Two before the parts, 119 pages of the first upload, and one of each other.
        #expect(requests == 220)
        let report = try #require(finished(step))
        #expect(report.leftovers.count == 100)
        #expect(report.leftovers.allSatisfy { $0.size == nil })
    }

    @Test func `a bucket that is not there, and a server that is none, end the check with their words`()
        throws
    {
        var check = S3Check(url: "https://h.example/b/", options: .init())
        _ = check.start()
        let missing = failed(check.receive(FakeS3.error(404, "NoSuchBucket")))
        #expect(missing?.hint?.contains("bucket") == true)
        check = S3Check(url: "https://h.example/b/", options: .init())
        _ = check.start()
        #expect(
            failed(check.receive(.answer(200, body: "<html></p>")))?.summary.contains("not an S3 server")
                == true
        )
        check = S3Check(url: "https://h.example/", options: .init())
        #expect(failed(check.start())?.summary.contains("names no bucket") == true)
    }

    @Test func `a question that the server forbids is reported, and is no failure`() throws {
        var check = S3Check(url: "http://h.example/b/", options: .init(checksum: .crc64nvme))
        _ = check.start()
        #expect(asked(check.receive(FakeS3.error(403, "AccessDenied"))) != nil)
        let report = try #require(finished(check.receive(FakeS3.error(501, "NotImplemented"))))
        #expect(report.findings.contains { $0.contains("s3:ListBucket") })
        #expect(report.findings.contains { $0.contains("CRC-64/NVME") })
        #expect(report.findings.last == "unfinished uploads cannot be listed (NotImplemented)")
    }
}
