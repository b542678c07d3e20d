import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests servers that discard a request whose connection breaks.
struct TusChunkingTests {
    private static let size: ByteCount = 100 << 20

    /// Runs attempts whose connections break after these numbers of bytes, while the server's offset stays at `offset`.
    private func breaking(
        after bytes: [ByteCount], at offset: ByteCount = 0
    ) throws -> (sizes: [ByteCount], noted: UploadResource, reported: [ServerCapabilities]) {
        var noted = UploadResource.tus
        var sizes: [ByteCount] = []
        var reported: [ServerCapabilities] = []
        for sent in bytes + [0] {
            var tus = TusUpload(item: .make(size: Self.size), options: .init())
            _ = tus.start(resource: noted, capabilities: .tusCore)
            let step = tus.receive(
                .answer(200, [.uploadOffset: "\(offset)", .uploadLength: "\(Self.size)"]))
            sizes.append(try #require(step.exchange).contentLength)
            for step in [step, tus.receive(.broke(afterSending: sent))] {
                for case .capabilities(let capabilities) in step.notes { reported.append(capabilities) }
                if let resource = step.notedResource ?? nil { noted = resource }
            }
        }
        return (sizes, noted, reported)
    }

    @Test func `two breaks in a row that left nothing lead to chunks, and a third to smaller ones`() throws {
        let (sizes, _, reported) = try breaking(after: [5 << 20, 5 << 20, 5 << 20])
        #expect(sizes == [Self.size, Self.size, 8 << 20, 4 << 20])
        #expect(reported.last?.facts["keepsBrokenRequests"] == "no")
    }

    @Test func `breaks after few bytes say nothing`() throws {
        let sizes = try breaking(after: [1 << 20, 1 << 20, 1000, 0]).sizes
        #expect(sizes == Array(repeating: Self.size, count: 5))
    }

    @Test func `attempts that ended without a word count as well`() throws {
        var noted = UploadResource.tus
        var sizes: [ByteCount] = []
        for _ in 0..<3 {
            var tus = TusUpload(item: .make(size: Self.size), options: .init())
            _ = tus.start(resource: noted, capabilities: .tusCore)
            let step = tus.receive(.answer(200, [.uploadOffset: "0", .uploadLength: "\(Self.size)"]))
            sizes.append(try #require(step.exchange).contentLength)
            noted = try #require(step.notedResource ?? nil)
        }
        #expect(sizes == [Self.size, Self.size, 8 << 20])
    }

    @Test func `a server that moves on is trusted again`() throws {
        var noted = try breaking(after: [5 << 20]).noted
        for offset in [3 << 20, 4 << 20] as [ByteCount] {
            var tus = TusUpload(item: .make(size: Self.size), options: .init())
            _ = tus.start(resource: noted, capabilities: .tusCore)
            let step = tus.receive(
                .answer(200, [.uploadOffset: "\(offset)", .uploadLength: "\(Self.size)"]))
            #expect(step.exchange?.contentLength == Self.size - offset)
            noted = try #require(
                tus.receive(.broke(afterSending: 5 << 20)).notedResource ?? step.notedResource ?? nil)
        }
    }

    @Test func `chunks grow with each that arrives`() throws {
        let noted = try breaking(after: [5 << 20, 5 << 20]).noted
        var tus = TusUpload(item: .make(size: Self.size), options: .init())
        _ = tus.start(resource: noted, capabilities: .tusCore)
        var step = tus.receive(.answer(200, [.uploadOffset: "0", .uploadLength: "\(Self.size)"]))
        var sizes: [ByteCount] = []
        var offset: ByteCount = 0
        while let exchange = step.exchange, exchange.method == .patch {
            sizes.append(exchange.contentLength >> 20)
            offset += exchange.contentLength
            step = tus.receive(.answer(204, [.uploadOffset: "\(offset)"]))
        }
        #expect(sizes == [8, 16, 32, 44])
        #expect(tus.receive(.answer(200, [.uploadOffset: "\(Self.size)"])).receipt != nil)
    }

    @Test func `chunks do not shrink for ever`() throws {
        let sizes = try breaking(after: Array(repeating: 2 << 20, count: 20)).sizes
        #expect(sizes.last == 64 << 10)
    }

    @Test func `another upload to such a server begins with chunks`() throws {
        let reported = try #require(try breaking(after: [5 << 20, 5 << 20]).reported.last)
        var tus = TusUpload(item: .make(size: Self.size), options: .init())
        _ = tus.start(resource: nil, capabilities: reported)
        #expect(tus.receive(.answer(201, [.location: "8"])).exchange?.contentLength == 8 << 20)
    }

    @Test func `the destination's chunk size stays the most`() throws {
        let reported = ServerCapabilities(extensions: ["creation"], facts: ["keepsBrokenRequests": "no"])
        var tus = TusUpload(item: .make(size: Self.size), options: .init(chunkSize: 1 << 20))
        _ = tus.start(resource: nil, capabilities: reported)
        #expect(tus.receive(.answer(201, [.location: "8"])).exchange?.contentLength == 1 << 20)
    }

    @Test func `an append is not repeated without a question`() throws {
        #expect(try TusUpload.appending().exchange.traits.contains(.idempotent) == false)
    }
}
