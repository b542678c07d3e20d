import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests servers that discard an append whose connection breaks.
struct ResumableChunkTests {
    private static let size: ByteCount = 100 << 20

    /// Runs attempts whose connections break after these numbers of bytes, while the server stores nothing.
    private func breaking(
        after bytes: [ByteCount]
    ) throws -> (sizes: [ByteCount], noted: UploadResource, reported: [ServerCapabilities]) {
        var noted = UploadResource.resumable(.eight)
        var sizes: [ByteCount] = []
        var reported: [ServerCapabilities] = []
        for sent in bytes + [0] {
            var upload = ResumableUpload(item: .make(size: Self.size), options: .init())
            _ = upload.start(resource: noted, capabilities: .newestResumable)
            let step = upload.receive(.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
            sizes.append(try #require(step.exchange).contentLength)
            for step in [step, upload.receive(.broke(afterSending: sent))] {
                for case .capabilities(let capabilities) in step.notes { reported.append(capabilities) }
                if let resource = step.notedResource ?? nil { noted = resource }
            }
        }
        return (sizes, noted, reported)
    }

    @Test func `one append takes all there is, until two breaks have left nothing`() throws {
        let (sizes, _, reported) = try breaking(after: [5 << 20, 5 << 20, 5 << 20])
        #expect(sizes == [Self.size, Self.size, 8 << 20, 4 << 20])
        #expect(reported.last?.facts["keepsBrokenRequests"] == "no")
        #expect(reported.last?.facts["resumable-version"] == "8")
    }

    @Test func `breaks after few bytes say nothing of what the server keeps`() throws {
        #expect(try breaking(after: [1 << 20, 1000, 0]).sizes == Array(repeating: Self.size, count: 4))
    }

    @Test func `chunks that arrive grow`() throws {
        let noted = try breaking(after: [5 << 20, 5 << 20]).noted
        var upload = ResumableUpload(item: .make(size: Self.size), options: .init())
        _ = upload.start(resource: noted, capabilities: .newestResumable)
        var step = upload.receive(.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
        var sizes: [ByteCount] = []
        var offset: ByteCount = 0
        while let exchange = step.exchange {
            sizes.append(exchange.contentLength >> 20)
            offset += exchange.contentLength
            let complete = offset == Self.size ? "?1" : "?0"
            step = upload.receive(.answer(204, [.uploadOffset: "\(offset)", .uploadComplete: complete]))
        }
        #expect(sizes == [8, 16, 32, 44])
        #expect(step.receipt != nil)
    }

    @Test func `another upload to such a server begins with chunks`() throws {
        let reported = try #require(try breaking(after: [5 << 20, 5 << 20]).reported.last)
        var upload = ResumableUpload(item: .make(size: Self.size), options: .init())
        _ = upload.start(resource: nil, capabilities: reported)
        let step = upload.receive(.answer(201, [.location: "8", .uploadComplete: "?0"]))
        #expect(step.exchange?.contentLength == 8 << 20)
    }

    @Test func `refusals teach nothing about what the server keeps`() throws {
        var noted = UploadResource.resumable(.eight)
        for _ in 0..<4 {
            var upload = ResumableUpload(item: .make(size: Self.size), options: .init(chunkSize: 50 << 20))
            _ = upload.start(resource: noted, capabilities: .newestResumable)
            let step = upload.receive(.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
            #expect(step.exchange?.contentLength == 50 << 20)
            for step in [step, upload.receive(.answer(503))] {
                if let resource = step.notedResource ?? nil { noted = resource }
            }
        }
    }

    @Test func `an empty last append that breaks leaves the mark that it may have been taken`() throws {
        var resource = UploadResource.resumable(.eight)
        resource.appends.learntChunk = 8 << 20
        var upload = ResumableUpload(item: .make(size: 0), options: .init())
        _ = upload.start(resource: resource, capabilities: .newestResumable)
        let step = upload.receive(.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
        #expect(step.exchange?.markBeforeLastBytes?.wholeBodySent == true)
        #expect(upload.receive(.broke(afterSending: 0)).notedResource == nil)
    }
}
