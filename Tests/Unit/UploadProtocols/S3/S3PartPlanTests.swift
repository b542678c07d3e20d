import Testing

@testable import FerryProtocols

struct S3PartPlanTests {
    private struct Vectors: Decodable {
        struct Limits: Decodable {
            var minPart, maxPart, maxObject: ByteCount
            var maxParts: Int
        }

        struct Case: Decodable {
            var size, partSize, last: ByteCount
            var parts: Int
        }

        var limits: Limits
        var cases: [Case]
    }

    @Test func `plans are as the vectors say`() throws {
        let vectors = try vectors("s3-part-plan", as: Vectors.self)
        #expect(S3PartPlan.smallestPart == vectors.limits.minPart)
        #expect(S3PartPlan.largestPart == vectors.limits.maxPart)
        #expect(S3PartPlan.mostParts == vectors.limits.maxParts)
        for vector in vectors.cases {
            let plan = try S3PartPlan.make(size: vector.size)
            #expect(plan.partSize == vector.partSize, "\(vector.size)")
            #expect(plan.count == vector.parts, "\(vector.size)")
            #expect(plan.range(of: plan.count)?.count == Int(vector.last), "\(vector.size)")
        }
    }

    @Test(arguments: [1, 5 << 20, 83_886_080_001, 5 << 40, 53_687_091_200_000] as [ByteCount])
    func `the ranges of a plan join to the file`(size: ByteCount) throws {
        let plan = try S3PartPlan.make(size: size)
        var end: ByteCount = 0
        for number in 1...plan.count {
            let range = try #require(plan.range(of: number))
            #expect(range.lowerBound == end)
            #expect(range.upperBound - range.lowerBound == plan.partSize || number == plan.count)
            end = range.upperBound
        }
        #expect(end == size)
        #expect(plan.range(of: 0) == nil)
        #expect(plan.range(of: plan.count + 1) == nil)
    }

    @Test func `F9 the largest object that S3 takes can be planned, and one byte more is refused`() throws {
        let limit = try vectors("s3-part-plan", as: Vectors.self).limits.maxObject
        #expect(try S3PartPlan.make(size: limit).count == 10_000)
        let failure = #expect(throws: UploadFailure.self) { try S3PartPlan.make(size: limit + 1) }
        #expect(failure?.category == .permanent)
        #expect(failure?.summary.contains("48.8 TiB") == true)
        #expect(throws: UploadFailure.self) { try S3PartPlan.make(size: .max) }
    }

    @Test func `10,001 parts of the asked size are planned larger`() throws {
        let plan = try S3PartPlan.make(size: 10_000 * (6 << 20) + 1, asked: 6 << 20)
        #expect(plan.partSize == 12 << 20)
        #expect(plan.count == 5001)
    }

    @Test func `a server of 1,000 parts gets larger ones`() throws {
        #expect(try S3PartPlan.make(size: 8_388_608_001, most: 1000).partSize == 16 << 20)
        #expect(throws: UploadFailure.self) { try S3PartPlan.make(size: 5_368_709_120_001, most: 1000) }
    }

    @Test(arguments: [0, 1, -5, .min] as [ByteCount])
    func `parts are never smaller than S3 allows`(asked: ByteCount) throws {
        #expect(try S3PartPlan.make(size: 1 << 30, asked: asked).partSize == 5 << 20)
    }

    @Test func `parts are never larger than S3 allows`() throws {
        #expect(try S3PartPlan.make(size: 1 << 40, asked: .max).partSize == 5 << 30)
        #expect(try S3PartPlan.make(size: 1 << 40, smallest: .max, most: .max).partSize == 5 << 30)
    }

    @Test(arguments: [0, -1, 5 << 40, .max, .min] as [ByteCount])
    func `a part size that was never planned is not kept`(partSize: ByteCount) {
        #expect(S3PartPlan(size: 100, keeping: partSize) == nil)
    }

    @Test func `a kept part size holds whatever is planned today`() {
        #expect(S3PartPlan(size: 100, keeping: 30)?.count == 4)
        #expect(S3PartPlan(size: .max, keeping: 5 << 30) == nil)
    }
}
