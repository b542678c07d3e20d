import FerryFiles
import Foundation
import Testing

@testable import FerryReceiver

@Suite(.timeLimit(.minutes(10)))
struct TusRecoveryTests {
    private static let mebibyte = 1 << 20

    @Test func `the bytes of a broken request are kept`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 10)
            let client = try LoopbackClient(port: site.port)
            try await client.send(Site.head("PATCH", path, Site.patchFields(0), length: 10) + "hello")
            client.finishSending()
            #expect(await site.events.interruption() == 5)
            #expect(try await site.offset(path) == 5)
            #expect(try await site.patch(path, at: 5, "world").status == 204)
            #expect(site.content("a.bin") == "helloworld")
        }
    }

    @Test func `a newer request makes the older one stop and release the upload`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 4 * Self.mebibyte)
            let older = try LoopbackClient(port: site.port)
            try await older.send(Site.head("PATCH", path, Site.patchFields(0), length: 4 * Self.mebibyte))
            try await older.send([UInt8](repeating: 7, count: 2 * Self.mebibyte))
            let received = await site.events.first { event in
                if case .received(_, let bytes) = event, bytes >= Self.mebibyte { bytes } else { nil }
            }
            let offset = try #require(try await site.offset(path))
            #expect(offset >= received ?? .max)
            #expect(await older.isClosedByPeer())
            #expect(try await site.offset(path) == offset)
            let rest = String(repeating: "r", count: 4 * Self.mebibyte - offset)
            #expect(try await site.patch(path, at: offset, rest).status == 204)
            #expect(try site.names() == ["a.bin"])
        }
    }

    @Test func `an upload can be removed while it is being sent`() async throws {
        try await withReceiver { site in
            let path = try await site.create(length: 10)
            let older = try LoopbackClient(port: site.port)
            let fields = Site.patchFields(0).merging(["Expect": "100-continue"]) { $1 }
            try await older.send(Site.head("PATCH", path, fields, length: 10))
            #expect(try await older.receive().status == 100)
            #expect(try await site.request("DELETE", path, Site.tus).status == 204)
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `a receiver that starts again finds unfinished and finished uploads`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (open, done) = try await withReceiver(folder: folder) { site in
            let open = try await site.create(length: 10)
            _ = try await site.patch(open, at: 0, "hello")
            let done = try await site.create(length: 2, name: "done")
            _ = try await site.patch(done, at: 0, "ok")
            return (open, done)
        }
        try await withReceiver(folder: folder) { site async throws in
            #expect(try await site.offset(open) == 5)
            #expect(try await site.offset(done) == 2)
            #expect(try await site.patch(open, at: 5, "world").status == 204)
            #expect(site.content("a.bin") == "helloworld")
        }
    }

    @Test(arguments: [(64 << 10, true), (64 << 10 + 1, false)])
    func `the record of an upload is read to 64 KiB`(size: Int, isRead: Bool) async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = try await withReceiver(folder: folder) { site in try await site.create(length: 10) }
        let id = try #require(path.split(separator: "/").last)
        let record = URL(filePath: "\(folder)/.ferry/\(id).json")
        let text = try Data(contentsOf: record)
        try (Data(repeating: 0x20, count: size - text.count) + text).write(to: record)
        try await withReceiver(folder: folder) { site async throws in
            #expect(try await site.offset(path) == (isRead ? 0 : nil))
        }
    }

    @Test func `an upload is finished that a crash interrupted while it was named`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let id = UploadID.make()
        do {
            let uploadStore = try UploadStore(directory: folder, overwrite: false)
            let file = try uploadStore.create(id)
            try "hello".utf8.withContiguousStorageIfAvailable {
                try file.write(UnsafeRawBufferPointer($0), at: 0)
            }
            try uploadStore.save(.make(id: id, length: 5, state: .finishing(path: "a.bin")))
        }
        try await withReceiver(folder: folder) { site async throws in
            #expect(try await site.offset("/files/\(id)") == 5)
            #expect(site.content("a.bin") == "hello")
        }
    }

    @Test(arguments: [true, false])
    func `an upload that had its name when the crash came is not named twice`(hasBoth: Bool) async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let id = UploadID.make()
        do {
            let uploadStore = try UploadStore(directory: folder, overwrite: false)
            _ = try uploadStore.create(id)
            let data = folder + "/.ferry/" + UploadStore.dataName(id).text
            try FileManager.default.linkItem(atPath: data, toPath: folder + "/a.bin")
            if !hasBoth { try uploadStore.discard(id) }
            try uploadStore.save(.make(id: id, length: 0, state: .finishing(path: "a.bin")))
        }
        try await withReceiver(folder: folder) { site async throws in
            #expect(try await site.offset("/files/\(id)") == 0)
            #expect(try site.names() == ["a.bin"])
            #expect(try site.unfinished() == ["\(id).json"])
        }
    }

    @Test func `leftovers of whole uploads are removed at the start`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do { _ = try UploadStore(directory: folder, overwrite: false).create(UploadID.make()) }
        try await withReceiver(folder: folder) { site async throws in
            #expect(try site.unfinished() == [])
        }
    }

    @Test func `a folder among the unfinished uploads does not keep the receiver from starting`() async throws
    {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try UploadStore(directory: folder, overwrite: false)
        try FileManager.default.createDirectory(
            atPath: "\(folder)/.ferry/notes", withIntermediateDirectories: true)
        try await withReceiver(folder: folder) { site async throws in
            #expect(try site.unfinished() == ["notes"])
        }
    }

    @Test func `stopping the receiver keeps what has come`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, client) = try await withReceiver(folder: folder) { site in
            let path = try await site.create(length: 10)
            let client = try LoopbackClient(port: site.port)
            let fields = Site.patchFields(0).merging(["Expect": "100-continue"]) { $1 }
            try await client.send(Site.head("PATCH", path, fields, length: 10))
            #expect(try await client.receive().status == 100)
            return (path, client)
        }
        #expect(await client.isClosedByPeer())
        try await withReceiver(folder: folder) { site async throws in
            #expect(try await site.offset(path) == 0)
            #expect(try await site.patch(path, at: 0, "helloworld").status == 204)
        }
    }
}

extension TusUpload {
    static func make(id: String, length: Int, state: State) -> TusUpload {
        let metadata = "filename \(Data("a.bin".utf8).base64EncodedString())"
        return TusUpload(id: id, length: length, metadata: metadata, state: state, touched: .now)
    }
}
