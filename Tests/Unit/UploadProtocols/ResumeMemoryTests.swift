import Foundation
import Testing

@testable import FerryProtocols

/// Tests the memory of upload resources in files of older versions, which have a flat dictionary of strings.
struct ResumeMemoryTests {
    private func resource(_ members: String) throws -> UploadResource {
        let text = #"{"url":"https://h.example/1","confirmed":7,"fields":{\#(members)}}"#
        return try JSONDecoder().decode(UploadResource.self, from: Data(text.utf8))
    }

    /// Returns the members after a value was read from them and written again.
    private func rewritten<Form: ResumeForm>(_ resource: UploadResource, _ form: Form.Type) -> [String:
        String]
    {
        var written = UploadResource(url: resource.url)
        written[form] = resource[form]
        return written.memory.members
    }

    @Test func `a resource is encoded with the member that older versions read`() throws {
        let old = try resource(#""wholeBodySent":"yes""#)
        #expect(old.wholeBodySent && old.confirmed == 7)
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(old)) as? [String: Any]
        #expect(encoded?["fields"] as? [String: String] == ["wholeBodySent": "yes"])
    }

    @Test func `the memory of tus is read, and written with the same texts`() throws {
        let old = try resource(
            #""checksum":"sha1 1024","checked":"yes","override":"yes","requestLimit":"65536","mayBeJoined":"yes","#
                + #""partial0":"https://h.example/a","partial1":"https://h.example/b""#)
        #expect(old[TusMemory.self].sum == TusSum(algorithm: .sha1, name: "sha1", chunk: 1024))
        #expect(
            old[TusMemory.self].isChecked && old[TusMemory.self].overridesMethod
                && old[TusMemory.self].mayBeJoined)
        #expect(old[TusMemory.self].requestLimit == 65536)
        #expect(TusConcatenation.urls(in: old) == ["https://h.example/a", "https://h.example/b"])
        #expect(rewritten(old, TusMemory.self) == old.memory.members)
    }

    @Test func `the chunk size learnt from broken requests is read, and written with the same texts`() throws
    {
        let old = try resource(#""chunk":"8388608","appendedFrom":"0","fruitless":"1""#)
        #expect(old.appends.learntChunk == 8 << 20)
        #expect(rewritten(old, AppendMemory.self) == old.memory.members)
    }

    @Test func `the memory of a resumable upload is read, and written with the same texts`() throws {
        let old = try resource(
            #""interop":"6","limit":"min-size=0, max-append-size=100","append":"50","digest":"AQI=""#)
        #expect(old.resumable.interop == .six && old.resumable.largestAppend == 50)
        #expect(old.resumable.limit?.maximumAppend == 100)
        #expect(old.resumable.ownDigest == [1, 2])
        #expect(rewritten(old, ResumableMemory.self) == old.memory.members)
    }

    @Test func `the memory of WebDAV is read, and written with the same texts`() throws {
        let old = try resource(
            #""name":"a.bin","old":"","oldTag":"\"1\"","new":"7","newTime":"Mon","refused":"1","#
                + #""abandoned":"https://h.example/x","next":"https://h.example/y""#)
        #expect(old.webDAV.movedName == "a.bin")
        #expect(old.webDAV.old == WebDAVVersion(FoundFile(entityTag: "\"1\"")))
        #expect(old.webDAV.new == WebDAVVersion(FoundFile(size: 7, modified: "Mon")))
        #expect(old.webDAV.refusedLooks == 1)
        #expect(rewritten(old, WebDAVMemory.self) == old.memory.members)
    }

    @Test func `the memory of Nextcloud is read, and written with the same texts`() throws {
        let old = try resource(#""name":"a.bin","chunk":"5242880","polls":"2""#)
        #expect(old.nextcloud == NextcloudMemory(name: "a.bin", chunkSize: 5 << 20, polls: 2))
        #expect(rewritten(old, NextcloudMemory.self) == old.memory.members)
    }

    @Test func `the memory of S3 is read, and written with the same texts`() throws {
        let old = try resource(
            #""uploadId":"U","partSize":"5242880","laterPartSizes":"2:1048576","checksum":"sha-256","#
                + #""parallel":"2","completing":"yes","etag":"e-2","digest":"d""#)
        let session = try #require(S3Session(old, size: 9 << 20))
        #expect(session.checksum == .sha256 && session.parallelLimit == 2)
        #expect(session.completion == .init(entityTag: "e-2", digest: "d"))
        #expect(session.resource().memory == old.memory)
    }

    @Test func `the memories of Azure and of upload sessions are read, and written with the same texts`()
        throws
    {
        let azure = try resource(#""blockSize":"100","onlyNew":"yes","md5":"yes""#)
        #expect(azure.azure == AzureMemory(blockSize: 100, mustBeNew: true, hasBlockSums: true))
        #expect(rewritten(azure, AzureMemory.self) == azure.memory.members)
        let session = try resource(#""given":"yes","name":"a""#)
        #expect(session.isGiven)
        #expect(rewritten(session, SessionMemory.self) == session.memory.members)
    }

    @Test(arguments: ["x", "-1", "", "99999999999999999999"])
    func `a count that cannot be one is none`(text: String) throws {
        let old = try resource("\"chunk\":\"\(text)\",\"interop\":\"\(text)\",\"dropped\":\"y\"")
        #expect(old.appends.learntChunk == nil && old.resumable.interop == nil && old.marks.droppedAt == nil)
    }

    @Test func `a value leaves the members of others alone`() {
        var resource = UploadResource(url: "u", memory: ["protocol": "tus", "chunk": "1"])
        resource[TusMemory.self].overridesMethod = true
        #expect(resource.memory == ["protocol": "tus", "chunk": "1", "override": "yes"])
        resource[TusMemory.self] = TusMemory()
        #expect(resource.memory == ["protocol": "tus", "chunk": "1"])
    }
}

struct RetryBudgetTests {
    @Test func `progress in between renews what may stand still`() {
        var budget = RetryBudget()
        let failures = (0..<10).flatMap { (before: ByteCount) in
            [before, before, before + 1].map { budget.judge($0, after: before, sentTo: before + 1) }
        }
        #expect(failures.allSatisfy { $0 == nil })
    }

    @Test func `the third request in a row of which nothing is kept ends the attempt`() {
        var budget = RetryBudget()
        let failures = (0..<3).map { _ in budget.judge(5, after: 5, sentTo: 10)?.category }
        #expect(failures == [nil, nil, .server])
    }

    @Test func `so does the third of which hardly anything is kept`() {
        var budget = RetryBudget()
        let failures = (0..<3).map { budget.judge($0 + 1, after: $0, sentTo: 1 << 20)?.category }
        #expect(failures == [nil, nil, .server])
        var honest = RetryBudget()
        #expect(
            (0..<9).allSatisfy { honest.judge($0 * 10 + 10, after: $0 * 10, sentTo: $0 * 10 + 500) == nil })
        #expect((0..<9).allSatisfy { honest.judge($0 + 1, after: $0, sentTo: $0 + 1) == nil })
    }

    @Test func `the third loss ends the attempt, whatever arrived in between`() {
        var budget = RetryBudget()
        let failures = (0..<3).map { _ in
            let failure = budget.judge(1, after: 5, sentTo: nil)
            _ = budget.judge(5, after: 1, sentTo: 5)
            return failure?.summary
        }
        #expect(failures == [nil, nil, "the server keeps losing what it had"])
    }

    @Test func `kinds of setbacks are counted apart`() {
        var budget = RetryBudget()
        let kinds: [RetryBudget.Setback] = [.restart, .restart, .surprise, .restart]
        let allowed = kinds.map { budget.allows($0) }
        #expect(allowed == [true, true, true, false])
    }
}
