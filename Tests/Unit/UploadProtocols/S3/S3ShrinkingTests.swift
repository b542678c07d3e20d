import HTTPTypes
import Testing

@testable import FerryProtocols

private let size = 256 * megabyte
private let options = ProtocolOptions(chunkSize: 32 * megabyte, parallelRequests: 2)

/// Tests that parts become smaller if the link breaks before they arrive.
struct S3ShrinkingTests {
    private var server = FakeS3()
    private var resource: UploadResource?
    private var facts: [String: String] = [:]

    /// Runs an attempt.
    ///
    /// - Parameter carried: The number of bytes after which the link breaks; nil if it does not break.
    private mutating func attempt(carried: ByteCount?) -> Step {
        var upload = S3Upload(item: .object(size), options: options)
        var step = upload.start(resource: resource, capabilities: .init(facts: facts))
        var left = carried ?? .max
        var underWay: [Exchange] = []
        while true {
            resource = step.notes.lastResource ?? resource
            facts = step.notes.lastFacts ?? facts
            underWay += step.exchanges
            guard !underWay.isEmpty else { return step }
            let exchange = underWay.removeFirst()
            let length = exchange.part > 0 ? exchange.contentLength : 0
            if length > left {
                step = upload.receive(.broke(afterSending: left), to: exchange)
                left = 0
            } else {
                left -= length
                step = upload.receive(server.reply(to: exchange), to: exchange)
            }
        }
    }

    @Test mutating func `a link that never carries a whole part gets smaller ones until they arrive`() {
        var attempts = 1
        while attempt(carried: 12 * megabyte).receipt == nil, attempts < 60 { attempts += 1 }
        // The sizes are 32, 16 and 8 MiB, of which one part arrives, then 5 MiB, of which two parts arrive in each
        // attempt.
        #expect(attempts < 40)
        #expect(resource?.memory["partSize"] == "8388608")
        #expect(resource?.memory["laterPartSizes"] == "2:5242880")
        #expect(server.completions.count == 1)
        #expect(server.objects[objectURL]?.size == size)
    }

    @Test mutating func `parts that arrived stay, and those after them are smaller`() {
        _ = attempt(carried: 80 * megabyte)
        #expect(resource?.confirmed == 64 * megabyte)
        #expect(resource?.memory["laterPartSizes"] == "3:20971520")
        #expect(attempt(carried: nil).receipt != nil)
        #expect(server.received.prefix(2) == [1, 2])
        #expect(server.objects[objectURL]?.size == size)
        #expect(server.completions == [Array(1...12)])
    }

    @Test mutating func `the next upload of the destination begins with what was learnt, and grows again`() {
        _ = attempt(carried: 12 * megabyte)
        #expect(facts["s3.partSize"] == "16777216")
        resource = nil
        server = FakeS3()
        #expect(attempt(carried: nil).receipt != nil)
        #expect(server.received.count == 16)
        #expect(facts["s3.partSize"] == nil)
    }

    @Test mutating func `a link that breaks before anything went out changes nothing`() {
        _ = attempt(carried: 0)
        #expect(facts["s3.partSize"] == nil)
        #expect(resource?.memory["partSize"] == "33554432")
    }

    @Test mutating func `a server that takes parts of one size only gets them, and is remembered`() {
        _ = attempt(carried: 80 * megabyte)
        var upload = S3Upload(item: .object(size), options: options)
        var (step, _) = upload.run(
            upload.start(resource: resource, capabilities: .init(facts: facts)), on: &server
        ) {
            $0.method == .post
        }
        // Cloudflare R2 responds like this.
        let completion = Exchange(.post, objectURL + "?uploadId=U%2F1")
        step = upload.receive(FakeS3.error(400, "InvalidPart"), to: completion)
        #expect(step.notes.lastFacts?["s3.equalParts"] == "yes")
        step = upload.run(step, on: &server).step
        #expect(step.receipt != nil)
        #expect(Set(server.objects[objectURL]?.parts.dropLast().map { $0.range.count } ?? []).count == 1)
    }

    @Test func `a plan that was made smaller joins to the file, and is read as it was written`() throws {
        let plan = try #require(
            try S3PartPlan.make(size: size + 1, asked: 32 * megabyte)
                .shrunk(to: 16 * megabyte, after: 2, most: 10_000)?
                .shrunk(to: 5 * megabyte, after: 5, most: 10_000))
        var end: ByteCount = 0
        for number in 1...plan.count {
            let range = try #require(plan.range(of: number))
            #expect(range.lowerBound == end)
            end = range.upperBound
        }
        #expect(end == size + 1)
        #expect(plan.laterSizes == "3:16777216,6:5242880")
        #expect(
            S3PartPlan(size: size + 1, keeping: 32 * megabyte, later: "3:16777216,6:5242880") == plan)
    }

    @Test(arguments: [
        "", "3", "3:0", "3:-1", "0:5", "1:5242880", "99999999999999999999:5", "3:33554432", "3:1,3:2",
        "9999:5242880",
        "3:1",
    ])
    func `a plan that cannot have been written is not kept`(later: String) {
        let plan = S3PartPlan(size: size, keeping: 32 * megabyte, later: later)
        #expect(plan == nil || later.isEmpty)
    }
}
