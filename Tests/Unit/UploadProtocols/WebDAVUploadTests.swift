import HTTPTypes
import Testing

@testable import FerryProtocols

private let temporary = "/files/.a.bin.part-key-1"

struct WebDAVUploadTests {
    private var run = WebDAVRun(model: WebDAVModel())

    @Test mutating func `a file is sent beside its final path, looked at, and moved there`() throws {
        let step = run.upload()
        #expect(step.receipt?.location == "http://server.example/files/a.bin")
        #expect(run.model.files == ["/files/a.bin": 10])
        #expect(
            run.model.log == [
                "OPTIONS /files/", "PROPFIND /files/a.bin", "PUT \(temporary)", "PROPFIND \(temporary)",
                "MOVE \(temporary)", "PROPFIND /files/a.bin",
            ])
    }

    @Test mutating func `F10 an empty file takes the same way`() {
        #expect(run.upload(.make(size: 0)).receipt?.bytes == 0)
        #expect(run.model.files == ["/files/a.bin": 0])
    }

    @Test mutating func `a server's offer is asked for once`() {
        _ = run.upload()
        _ = run.upload(.make(name: "b.bin"))
        #expect(run.model.log.filter { $0.hasPrefix("OPTIONS") }.count == 1)
    }

    @Test mutating func `the temporary name is noted before the first byte`() {
        _ = run.upload(lose: { $0.method == .put })
        #expect(run.resource?.url == "http://server.example" + temporary)
        #expect(run.model.log.last?.hasPrefix("PUT") == true)
    }

    @Test mutating func `folders are made from the inside as far as they are missing`() {
        let step = run.upload(.make(name: "b/c d/e.bin"))
        #expect(step.receipt?.location == "http://server.example/files/b/c%20d/e.bin")
        #expect(
            run.model.log.filter { $0.hasPrefix("MKCOL") } == [
                "MKCOL /files/b/c d/", "MKCOL /files/b/", "MKCOL /files/b/c d/",
            ])
    }

    @Test(arguments: [400, 403, 405, 412])
    mutating func `a folder that is missing is made whatever status refuses the file`(status: Int) {
        run.model.missingFolderStatus = status
        #expect(run.upload(.make(name: "b/e.bin")).receipt != nil)
        #expect(run.model.files == ["/files/b/e.bin": 10])
        #expect(run.model.log.filter { $0 == "PROPFIND /files/b/" }.count == 1)
        #expect(run.model.folders.contains("/files/b/"))
    }

    @Test(arguments: [400, 403, 405, 412])
    mutating func `the refusal of a file stands if its folder is there`(status: Int) {
        run.model.putStatus = status
        #expect(run.upload().failure?.status == status)
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 1)
        #expect(run.model.log.filter { $0 == "PROPFIND /files/" }.count == 1)
        #expect(!run.model.log.contains { $0.hasPrefix("MKCOL") })
    }

    @Test mutating func `the refusal of a file stands if its folder cannot be looked up`() {
        run.model.putStatus = 403
        run.model.lookStatus["/files/"] = 403
        #expect(run.upload().failure?.status == 403)
        #expect(run.model.log.last == "PROPFIND /files/")
    }

    @Test mutating func `a file is refused for good once its folder is made`() {
        run.model.folders = ["/"]
        run.model.putStatus = 412
        #expect(run.upload().failure?.status == 412)
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 2)
        #expect(run.model.log.filter { $0.hasPrefix("MKCOL") } == ["MKCOL /files/"])
    }

    @Test mutating func `many bytes are not sent to a folder that is missing`() {
        _ = run.upload(.make(name: "b/e.bin", size: 1 << 30))
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 1)
    }

    @Test mutating func `the destination's own folder is made only if it is missing too`() {
        run.model.folders = ["/"]
        _ = run.upload(.make(name: "b/e.bin"))
        #expect(run.model.folders == ["/", "/files/", "/files/b/"])
    }

    @Test mutating func `a broken upload is sent again in full where parts are not known to work`() {
        _ = run.upload(lose: { $0.method == .put })
        run.model.files[temporary] = 4
        #expect(run.upload().receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
    }

    @Test mutating func `a file that arrived whole is not sent again when the response was lost`() {
        _ = run.upload(lose: { $0.method == .put })
        #expect(run.upload().receipt != nil)
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 1)
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    mutating func `a lost response to MOVE is settled by looking`(policy: ExistingFilePolicy) {
        let options = ProtocolOptions(existing: policy)
        _ = run.upload(.make(), options, lose: { $0.method == .move })
        let step = run.upload(.make(), options)
        #expect(step.receipt?.location == "http://server.example/files/a.bin")
        #expect(step.receipt?.wasThere == false)
        #expect(run.model.files == ["/files/a.bin": 10])
        #expect(run.model.log.filter { $0.hasPrefix("MOVE") }.count == 1)
    }

    @Test mutating func `a MOVE that never arrived is made again`() {
        _ = run.upload(reaches: false, lose: { $0.method == .move })
        #expect(run.upload().receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 1)
    }

    @Test mutating func `an uploaded file that vanished and was replaced by another is sent again`() {
        _ = run.upload(reaches: false, lose: { $0.method == .move })
        run.model.files = ["/files/a.bin": 7]
        #expect(run.upload().receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
    }

    @Test mutating func `P16 a server that stores less than it took is reported`() {
        run.model.keeps = 6
        #expect(run.upload().failure?.summary == "the server has 6 B, the file has 10 B")
        #expect(run.model.files["/files/a.bin"] == nil)
    }

    @Test mutating func `a server without PROPFIND is asked by HEAD`() {
        run.model.takesPropfind = false
        #expect(run.upload().receipt != nil)
        #expect(run.capabilities?.facts["propfind"] == "no")
        #expect(run.model.files == ["/files/a.bin": 10])
    }

    @Test(arguments: [true, false])
    mutating func `a folder at the file's path is never replaced`(takesPropfind: Bool) {
        run.model.takesPropfind = takesPropfind
        run.model.folders.formUnion(["/files/a.bin/", "/files/a.bin"])
        #expect(run.upload().failure?.summary.contains("folder") == true)
        #expect(!run.model.log.contains { $0.hasPrefix("PUT") || $0.hasPrefix("MOVE") })
    }

    @Test(arguments: [405, 501, 403])
    mutating func `a server that does not move files keeps nothing, and put is named`(status: Int) {
        run.model.moveStatus = status
        let step = run.upload()
        #expect(step.failure?.hint?.contains("put") == true)
        #expect(run.model.files.isEmpty)
        #expect(run.resource == nil)
        // A 403 may concern one folder only. Other statuses mean that the server does not have the method.
        let sent = run.model.log.count
        #expect(run.upload().failure?.hint?.contains("put") == true)
        #expect((run.model.log.count == sent) == (status != 403))
    }

    @Test mutating func `P7 a lock is waited for`() {
        run.model.moveStatus = 423
        let failure = run.upload().failure
        #expect(failure?.category == .server)
        #expect(failure?.retryAfter == 10)
        run.model.moveStatus = nil
        #expect(run.upload().receipt != nil)
    }

    @Test func `removal deletes what was sent so far`() {
        let resource = UploadResource(url: "http://server.example/files/.a.bin.part-key-1")
        let exchanges = WebDAVUpload(item: .make(), options: .init()).removal(of: resource)
        #expect(exchanges.map(\.method) == [.delete])
        #expect(exchanges.map(\.url) == [resource.url])
    }

    @Test func `removal deletes the files under the other temporary names too`() {
        var resource = UploadResource(url: "http://server.example/files/.a.bin.part-key-2")
        resource.memory = ["abandoned": "http://server.example/files/.a.bin.part-key-1"]
        let exchanges = WebDAVUpload(item: .make(), options: .init()).removal(of: resource)
        #expect(exchanges.map(\.url) == [resource.url, resource.memory["abandoned"]])
    }
}

struct WebDAVExistingTests {
    private var run = WebDAVRun(model: WebDAVModel(files: ["/files/a.bin": 7]))

    @Test(arguments: [nil, ExistingFilePolicy.replace, .skip])
    mutating func `another file is replaced`(policy: ExistingFilePolicy?) {
        #expect(run.upload(.make(), .init(existing: policy)).receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
    }

    @Test mutating func `a file of the same size is skipped`() {
        run.model.files["/files/a.bin"] = 10
        #expect(run.upload(.make(), .init(existing: .skip)).receipt?.wasThere == true)
        #expect(run.resource == nil)
    }

    @Test mutating func `rename finds the next name`() {
        #expect(
            run.upload(.make(), .init(existing: .rename)).receipt?.location
                == "http://server.example/files/a%20%282%29.bin")
        #expect(run.model.files == ["/files/a.bin": 7, "/files/a (2).bin": 10])
    }

    @Test mutating func `fail leaves it alone and sends nothing`() {
        #expect(run.upload(.make(), .init(existing: .fail)).failure?.status == 412)
        #expect(run.model.files == ["/files/a.bin": 7])
    }

    /// Runs an upload during which another client creates a file with the same name.
    private mutating func overtaken(_ policy: ExistingFilePolicy?) -> Step {
        run.model.files = [:]
        _ = run.upload(
            .make(), .init(existing: policy), reaches: false, lose: { $0.method == .move })
        run.resource?.memory = [:]
        var upload = WebDAVUpload(item: .make(), options: .init(existing: policy))
        var step = upload.start(resource: run.resource, capabilities: run.capabilities)
        while let exchange = step.exchange {
            if exchange.method == .move, run.model.files["/files/a.bin"] == nil {
                run.model.files["/files/a.bin"] = 8
            }
            step = upload.receive(.responded(run.model.answer(exchange)))
        }
        return step
    }

    @Test mutating func `a file that came in between is kept where that is wished`() {
        #expect(overtaken(.fail).failure?.status == 412)
        #expect(run.model.files["/files/a.bin"] == 8)
    }

    @Test mutating func `a file that came in between is stepped around`() {
        #expect(overtaken(.rename).receipt?.location?.hasSuffix("%282%29.bin") == true)
        #expect(run.model.files == ["/files/a.bin": 8, "/files/a (2).bin": 10])
    }

    @Test mutating func `a file that came in between is replaced where that is wished`() {
        #expect(overtaken(.replace).receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
    }
}

struct WebDAVRangeTests {
    private var run = WebDAVRun(model: WebDAVModel())
    private let options = ProtocolOptions(chunkSize: 3)

    @Test mutating func `parts that add up prove the server, and are remembered`() {
        run.model.ranges = .honours
        #expect(run.upload(.make(), options).receipt != nil)
        #expect(run.capabilities?.facts["ranges"] == "put")
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == 4)
        // One PROPFIND proves that parts work, and one checks the whole file.
        #expect(run.model.log.filter { $0 == "PROPFIND \(temporary)" }.count == 2)
    }

    @Test(arguments: [WebDAVModel.RangeHabit.refuses, .ignores])
    mutating func `a server that fails the proof gets the whole, and no more parts`(
        habit: WebDAVModel.RangeHabit
    ) {
        run.model.ranges = habit
        #expect(run.upload(.make(), options).receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
        #expect(run.capabilities?.facts["ranges"] == "no")
        let sent = run.model.log.filter { $0.hasPrefix("PUT") }.count
        #expect(run.upload(.make(name: "b.bin"), options).receipt != nil)
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == sent + 1)
    }

    @Test mutating func `no part ever goes to a final name`() {
        run.model.ranges = .ignores
        run.model.files = ["/files/a.bin": 7]
        _ = run.upload(.make(), options, lose: { $0.fields[.contentRange] != nil })
        #expect(run.model.files["/files/a.bin"] == 7)
    }

    @Test mutating func `an upload resumes at the server's size once parts are proven`() {
        run.model.ranges = .honours
        _ = run.upload(.make(), options, lose: { $0.fields[.contentRange] == "bytes 6-8/10" })
        // In a new process only the recorded resource is known.
        run.capabilities = .init(extensions: ["1"])
        run.model.files[temporary] = 8
        var first: String?
        #expect(
            run.upload(.make(), options) {
                first = first ?? $0.fields[.contentRange]
                return false
            }.receipt != nil)
        #expect(first == "bytes 8-9/10")
        #expect(run.model.files == ["/files/a.bin": 10])
    }

    @Test mutating func `a whole size says nothing before the proof`() {
        _ = run.upload(.make(), options, lose: { $0.fields[.contentRange] != nil })
        // A server may allocate the whole length that Content-Range contains.
        run.model.files[temporary] = 10
        _ = run.upload(.make(), options)
        #expect(run.model.log.last { $0.hasPrefix("PUT") } != nil)
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count > 2)
    }

    @Test mutating func `an upload that was cut before the proof is proven where it is`() {
        run.model.ranges = .honours
        _ = run.upload(.make(), options, lose: { $0.fields[.contentRange] != nil })
        #expect(run.model.files[temporary] == 6)
        let sent = run.model.log.filter { $0.hasPrefix("PUT") }.count
        #expect(run.upload(.make(), options).receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
        #expect(run.model.log.filter { $0.hasPrefix("PUT") }.count == sent + 2)
    }

    @Test mutating func `an upload that was cut before the proof begins again where the proof fails`() {
        run.model.ranges = .ignores
        _ = run.upload(.make(), options, lose: { $0.fields[.contentRange] != nil })
        #expect(run.model.files[temporary] == 3)
        #expect(run.upload(.make(), options).receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
    }

    @Test mutating func `a temporary file that is too long is written anew`() {
        run.model.ranges = .honours
        _ = run.upload(.make(), options, lose: { $0.fields[.contentRange] == "bytes 6-8/10" })
        run.model.files[temporary] = 11
        #expect(run.upload(.make(), options).receipt != nil)
        #expect(run.model.files == ["/files/a.bin": 10])
    }

    @Test mutating func `SabreDAV's partial update resumes without a chunk size`() {
        run.model.dav = "1, 3, sabredav-partialupdate"
        _ = run.upload(lose: { $0.method == .put })
        run.model.files[temporary] = 4
        var patch: Exchange?
        #expect(
            run.upload {
                if $0.method == .patch { patch = $0 }
                return false
            }.receipt != nil)
        #expect(patch?.fields[.updateRange] == "bytes=4-9")
        #expect(patch?.fields[.contentType] == "application/x-sabredav-partialupdate")
        #expect(patch?.body == .file(range: 4..<10))
    }
}

struct WebDAVChecksumTests {
    private var run = WebDAVRun(model: WebDAVModel())
    private let options = ProtocolOptions(checksum: .sha1)

    @Test mutating func `the server's digest is compared with the file's`() {
        run.model.checksums = "SHA1:010203 MD5:00"
        #expect(run.upload(.make(), options).receipt?.verified == .sha1)
    }

    @Test mutating func `the server is sent no digest that it could report again`() {
        _ = run.upload(.make(), options) {
            #expect($0.fields[.ocChecksum] == nil && $0.digests.allSatisfy { $0.carrier == nil })
            return false
        }
    }

    @Test(arguments: [("SHA1:010203 MD5:00", DigestAlgorithm.sha1), ("MD5:010203", .md5)])
    mutating func `without configuration the strongest digest that ownCloud reports is compared`(
        checksums: String, algorithm: DigestAlgorithm
    ) {
        run.model.dav = "1, 3, oc-resource-sharing"
        run.model.checksums = checksums
        #expect(run.upload(.make()).receipt?.verified == algorithm)
        #expect(run.model.log.filter { $0.hasPrefix("PROPFIND") }.count == 3)
    }

    @Test mutating func `without configuration a digest of other bytes is a failure`() {
        run.model.dav = "1, 3, oc-resource-sharing"
        run.model.checksums = "SHA1:010204"
        #expect(run.upload(.make()).failure?.summary.contains("SHA-1") == true)
    }

    @Test mutating func `none leaves the server's digest alone`() {
        run.model.dav = "1, 3, oc-resource-sharing"
        run.model.checksums = "SHA1:010204"
        var none = ProtocolOptions()
        none.checksumChoice = .none
        let receipt = run.upload(.make(), none).receipt
        #expect(receipt?.bytes == 10)
        #expect(receipt?.verified == nil)
    }

    @Test mutating func `another digest is a failure that says so`() {
        run.model.checksums = "SHA1:010204"
        #expect(run.upload(.make(), options).failure?.summary.contains("SHA-1") == true)
    }

    @Test mutating func `a server that reports none has the file, unverified`() {
        let receipt = run.upload(.make(), options).receipt
        #expect(receipt?.bytes == 10)
        #expect(receipt?.verified == nil)
    }
}

struct WebDAVFolderTests {
    private func making() throws -> WebDAVFolders {
        try #require(WebDAVFolders(of: WebDAVAddress("http://h/a/b.bin")))
    }

    /// Apache 2.4.71 behaves like this.
    @Test func `a folder that another upload made at the same moment is there`() throws {
        var folders = try making()
        guard case .send = folders.receive(.init(status: 403)) else {
            Issue.record("it was not asked for again")
            return
        }
        #expect(folders.receive(.init(status: 405)) == nil)
    }

    @Test func `a folder that is refused twice is refused`() throws {
        var folders = try making()
        _ = folders.receive(.init(status: 403))
        guard case .failed(let failure, _) = folders.receive(.init(status: 403)) else {
            Issue.record("it was asked for again")
            return
        }
        #expect(failure.status == 403)
    }
}
