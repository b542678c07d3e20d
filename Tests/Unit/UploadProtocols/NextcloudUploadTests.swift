import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

private let folder = NextcloudModel.uploads + "key-1/"
private let place = NextcloudModel.files + "a.bin"

private func item(name: String = "a.bin", size: ByteCount = 12 << 20, modified: Date? = nil) -> UploadItem {
    var item = UploadItem.make(url: NextcloudRun.url, name: name, size: size)
    item.modified = modified
    return item
}

struct NextcloudUploadTests {
    private var run = NextcloudRun()

    private mutating func count(_ method: String) -> Int {
        run.model.log.filter { $0.method.rawValue == method }.count
    }

    @Test mutating func `a large file goes in chunks to a folder, which becomes the file`() {
        let step = run.upload(item())
        #expect(step.receipt?.location == NextcloudRun.url + "a.bin")
        #expect(run.model.files == [place: 12 << 20])
        #expect(run.model.pending.isEmpty)
        #expect(
            Set(run.model.lines.filter { $0.hasPrefix("PUT") }) == [
                "PUT \(folder)00001", "PUT \(folder)00002", "PUT \(folder)00003",
            ])
    }

    @Test mutating func `every request says where the file goes and how large it is`() {
        _ = run.upload(item(name: "ü b.bin", modified: Date(timeIntervalSince1970: 1_700_000_000.9)))
        let all = run.model.log.filter { $0.url.contains("/uploads/") }
        #expect(all.allSatisfy { $0.fields[.destination] == NextcloudRun.url + "%C3%BC%20b.bin" })
        #expect(all.dropFirst().allSatisfy { $0.fields[.ocTotalLength] == "\(12 << 20)" })
        #expect(all.last?.fields[.ocMtime] == "1700000000")
    }

    @Test mutating func `a small file is one PUT to its final path`() {
        #expect(run.upload(item(size: 5 << 20)).receipt != nil)
        #expect(run.model.files == [place: 5 << 20])
        #expect(!run.model.lines.contains { $0.contains("/uploads/") })
    }

    @Test mutating func `F10 an empty file is one PUT too`() {
        #expect(run.upload(item(size: 0)).receipt?.bytes == 0)
        #expect(run.model.files == [place: 0])
    }

    @Test(arguments: [ByteCount(100), 12 << 20])
    mutating func `folders that are missing are made`(size: ByteCount) {
        #expect(run.upload(item(name: "b/c/a.bin", size: size)).receipt != nil)
        #expect(run.model.files == [NextcloudModel.files + "b/c/a.bin": size])
    }

    @Test(arguments: [404, 409])
    mutating func `a small file is sent once more after its folder was made, and then it fails`(status: Int) {
        run.model.refusals = Array(repeating: ("PUT", status), count: 100)
        #expect(run.upload(item(size: 100)).failure?.status == status)
        #expect(count("PUT") == 2)
    }

    @Test mutating func `the chunks under way are as many as are allowed`() throws {
        var upload = NextcloudUpload(
            item: item(size: 40 << 20), options: .init(chunkSize: 5 << 20, parallelRequests: 3))
        var step = upload.start(resource: nil, capabilities: nil)
        while let exchange = step.exchange {
            step = upload.receive(.responded(run.model.answer(exchange)), to: exchange)
        }
        guard case .sendAll(let exchanges, _) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(exchanges.map(\.part) == [1, 2, 3])
        #expect(Set(exchanges.map(\.url)).count == 3)
    }

    @Test mutating func `an interrupted upload sends only the chunks that are missing`() {
        _ = run.upload(item(), .init(chunkSize: 5 << 20, parallelRequests: 1), reaches: false) {
            $0.part == 2
        }
        #expect(run.resource?.confirmed == 5 << 20)
        #expect(run.resource?.parts == .init(stored: 1, planned: 3))
        let before = count("PUT")
        #expect(run.upload(item()).receipt != nil)
        #expect(count("PUT") == before + 2)
        #expect(run.model.files == [place: 12 << 20])
    }

    @Test mutating func `the plan is that of the first attempt, whatever is configured since`() {
        _ = run.upload(item(), reaches: false) { $0.part == 2 }
        #expect(run.upload(item(), .init(chunkSize: 6 << 20)).receipt != nil)
        #expect(run.model.files == [place: 12 << 20])
    }

    @Test mutating func `a chunk of another size is sent again`() {
        _ = run.upload(item(), reaches: false) { $0.method == .move }
        run.resource = run.resource?.withWholeBodySent(false)
        run.model.pending[folder]?["00002"] = 7
        run.resource?.memory["name"] = nil
        #expect(run.upload(item()).receipt != nil)
        #expect(run.model.files == [place: 12 << 20])
    }

    @Test mutating func `a folder that the server dropped is begun again`() {
        _ = run.upload(item(), reaches: false) { $0.part == 2 }
        run.model.pending = [:]
        #expect(run.upload(item()).receipt != nil)
        #expect(run.model.files == [place: 12 << 20])
    }

    @Test mutating func `a folder that vanishes under way ends the attempt, and the next begins again`() {
        run.model.refusals = [("PUT", 404)]
        let step = run.upload(item())
        #expect(step.failure?.category == .server)
        #expect(run.resource == nil)
        #expect(run.upload(item()).receipt != nil)
    }

    @Test(arguments: [423, 502, 504])
    mutating func `an assembly that takes long is looked after before it is asked for again`(status: Int) {
        run.model.refusals = [("MOVE", status)]
        let step = run.upload(item())
        #expect(step.failure?.category == .server)
        #expect(step.failure?.retryAfter == NextcloudUpload.pollPause || status == 423)
        // The server finished the request although the proxy had given it up.
        run.model.pending = [:]
        run.model.files[place] = 12 << 20
        #expect(run.upload(item()).receipt != nil)
        #expect(count("MOVE") == 1)
        #expect(count("PUT") == 3)
    }

    @Test mutating func `an assembly that never ends is asked for again after some looks`() {
        run.model.refusals = [("MOVE", 504)]
        _ = run.upload(item())
        var looks = 0
        while run.upload(item()).failure != nil, looks < 20 { looks += 1 }
        #expect(looks == 3)
        #expect(run.model.files == [place: 12 << 20])
        #expect(count("MOVE") == 2)
        #expect(count("PUT") == 3)
    }

    @Test mutating func `a lost response to MOVE is settled by looking`() {
        _ = run.upload(item()) { $0.method == .move }
        #expect(run.upload(item()).receipt != nil)
        #expect(run.model.files == [place: 12 << 20])
        #expect(count("MOVE") == 1)
    }

    @Test mutating func `a MOVE that never arrived is made again after some looks`() {
        _ = run.upload(item(), reaches: false) { $0.method == .move }
        var looks = 0
        while run.upload(item()).failure != nil, looks < 20 { looks += 1 }
        #expect(looks == NextcloudUpload.pollLimit - 1)
        #expect(run.model.files == [place: 12 << 20])
        #expect(count("PUT") == 3)
    }

    @Test mutating func `an older file of the same size is not taken for the assembled one`() {
        run.model.files[place] = 12 << 20
        _ = run.upload(item(), reaches: false) { $0.method == .move }
        #expect(run.upload(item()).failure?.category == .server)
        #expect(run.model.pending[folder]?.count == 3)
    }

    @Test
    mutating func `an older file of the same size is not taken for one with chunks that the server dropped`()
    {
        run.model.files[place] = 12 << 20
        _ = run.upload(item(), reaches: false) { $0.method == .move }
        run.model.pending = [:]
        #expect(run.upload(item()).receipt != nil)
        #expect(count("PUT") == 6)
        #expect(count("MOVE") == 1)
    }

    @Test mutating func `a MOVE without effect leaves the earlier file, which is not taken for the new one`()
    {
        run.model.files[place] = 12 << 20
        run.model.dropsMoves = true
        #expect(run.upload(item()).failure?.summary.contains("the earlier one") == true)
    }

    @Test mutating func `a small file with a lost response is not taken for an older one of its size`() {
        run.model.files[place] = 100
        _ = run.upload(item(size: 100), reaches: false) { $0.method == .put }
        #expect(run.upload(item(size: 100)).receipt != nil)
        #expect(count("PUT") == 1)
    }

    @Test mutating func `a full quota is reported`() {
        run.model.refusals = [("PUT", 507)]
        #expect(run.upload(item()).failure?.hint?.contains("quota") == true)
    }

    @Test mutating func `a user that is not the one who signs in is reported`() {
        run.model.refusals = [("MKCOL", 404)]
        #expect(run.upload(item()).failure?.hint?.contains("user") == true)
    }

    @Test(arguments: [
        "http://cloud.example/files/", "http://cloud.example/remote.php/dav/files/", "http://c/x",
    ])
    func `an address that is no folder of a Nextcloud is refused`(url: String) {
        var upload = NextcloudUpload(item: .make(url: url), options: .init())
        let failure = upload.start(resource: nil, capabilities: nil).failure
        #expect(failure?.hint?.contains("remote.php/dav/files/USER/") == true)
    }

    @Test func `removal deletes the chunks, and never a file at its final path`() {
        let upload = NextcloudUpload(item: item(), options: .init())
        var chunked = UploadResource(url: "http://cloud.example" + folder)
        chunked.nextcloud.chunkSize = 5
        #expect(upload.removal(of: chunked).map(\.url) == [chunked.url])
        #expect(upload.removal(of: UploadResource(url: NextcloudRun.url + "a.bin")).isEmpty)
    }
}

struct NextcloudExistingTests {
    private var run = NextcloudRun(model: NextcloudModel(files: [place: 7]))

    @Test(arguments: [ByteCount(100), 12 << 20])
    mutating func `an existing file is kept, replaced or left beside a renamed one`(size: ByteCount) {
        let options = { ProtocolOptions(chunkSize: 5 << 20, existing: $0) }
        #expect(run.upload(item(size: size), options(.fail)).failure?.status == 412)
        #expect(run.model.files == [place: 7])
        #expect(
            run.upload(item(size: size), options(.rename)).receipt?.location?.hasSuffix("(2).bin") == false)
        #expect(run.model.files == [place: 7, NextcloudModel.files + "a (2).bin": size])
        #expect(run.upload(item(size: size), options(.skip)).receipt?.wasThere == false)
        #expect(run.model.files[place] == size)
        #expect(run.upload(item(size: size), options(.skip)).receipt?.wasThere == true)
        #expect(run.upload(item(size: size), options(nil)).receipt != nil)
    }

    @Test(arguments: [ByteCount(100), 12 << 20])
    mutating func `a file that came in between is kept where that is wished`(size: ByteCount) {
        run.model.files = [:]
        run.model.refusals = [(size > 100 ? "MOVE" : "PUT", 412)]
        var isThere = false
        let step = run.upload(item(size: size), .init(chunkSize: 5 << 20, existing: .fail)) { exchange in
            isThere = isThere || exchange.method == .put
            return false
        }
        #expect(isThere)
        // The model responds with 412 once. Afterwards the path is free.
        #expect(step.receipt != nil)
    }
}

struct NextcloudChecksumTests {
    private var run = NextcloudRun()
    private let options = ProtocolOptions(chunkSize: 5 << 20, checksum: .sha256)

    @Test(arguments: [ByteCount(100), 12 << 20])
    mutating func `the server is sent the digest, and computes it for the comparison`(size: ByteCount) {
        run.model.hash = "SHA256:010203"
        #expect(run.upload(item(size: size), options).receipt?.verified == .sha256)
        let withDigest = run.model.log.filter { $0.digests.contains { $0.carrier?.field == .ocChecksum } }
        #expect(withDigest.map(\.method) == [size > 100 ? .move : .put])
        #expect(run.model.log.last?.fields[.recalculateHash] == "sha256")
    }

    @Test mutating func `another digest at the server is a failure that says so`() {
        run.model.hash = "SHA256:010204"
        #expect(run.upload(item(), options).failure?.summary.contains("SHA-256") == true)
    }

    @Test
    mutating func
        `without configuration a file in chunks is compared with the digest that the server computes`()
    {
        run.model.hash = "SHA256:010203"
        #expect(run.upload(item()).receipt?.verified == .sha256)
        #expect(run.model.log.allSatisfy { $0.fields[.ocChecksum] == nil && $0.digests.isEmpty })
        run = NextcloudRun()
        run.model.hash = "SHA256:010204"
        #expect(run.upload(item(name: "b.bin")).failure?.summary.contains("SHA-256") == true)
    }

    @Test
    mutating func `without configuration a small file, and a server that fails at it, cost nothing more`() {
        run.model.hash = "SHA256:010203"
        #expect(run.upload(item(size: 100)).receipt?.verified == nil)
        #expect(run.model.log.allSatisfy { $0.method != .patch })
        run = NextcloudRun()
        run.model.refusals = [("PATCH", 503)]
        #expect(run.upload(item(name: "b.bin")).receipt?.bytes == 12 << 20)
        run = NextcloudRun()
        #expect(run.upload(item(name: "c.bin")) { $0.method == .patch }.receipt?.bytes == 12 << 20)
    }

    @Test mutating func `a server that cannot compute it has the file, unverified`() {
        let receipt = run.upload(item(), options).receipt
        #expect(receipt != nil)
        #expect(receipt?.verified == nil)
    }
}

struct NextcloudPlanTests {
    private static let plans: [(ByteCount, ByteCount?, ByteCount)] = [
        (0, nil, 10 << 20), (1 << 30, nil, 10 << 20), (1 << 30, 1, 5 << 20),
        (1 << 30, 1 << 40, 5_000_000_000), (1 << 40, nil, (1 << 40) / 2000 + 1),
    ]

    @Test(arguments: plans)
    func `chunks keep to what the server takes`(size: ByteCount, wished: ByteCount?, chunk: ByteCount) {
        #expect(NextcloudPlan(size: size, wished: wished).chunkSize == chunk)
    }

    @Test(arguments: [1, 10 << 20, (10 << 20) + 1, 1 << 40] as [ByteCount])
    func `chunks cover the file without a gap`(size: ByteCount) {
        let plan = NextcloudPlan(size: size, wished: nil)
        #expect(plan.count <= Int(NextcloudPlan.chunkLimit))
        var end: ByteCount = 0
        for number in 1...plan.count {
            #expect(plan.range(of: number).lowerBound == end)
            end = plan.range(of: number).upperBound
        }
        #expect(end == size)
    }

    @Test func `a file that is too large for the protocol is refused before anything is sent`() {
        var upload = NextcloudUpload(item: item(size: .max), options: .init())
        #expect(upload.start(resource: nil, capabilities: nil).failure?.category == .permanent)
    }

    @Test func `names of chunks sort as their numbers`() {
        #expect([1, 42, 10_000].map(NextcloudPlan.name) == ["00001", "00042", "10000"])
    }
}
