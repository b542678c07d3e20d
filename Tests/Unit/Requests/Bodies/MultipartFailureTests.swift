import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

/// Tests forms that cannot be sent, in each way of encoding them.
struct MultipartFailureTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Returns a form whose first part is valid. `append` adds an invalid second part.
    private func form(_ append: (inout MultipartFormData) throws -> Void) rethrows -> MultipartFormData {
        var form = MultipartFormData()
        form.append("v", name: "first")
        try append(&form)
        return form
    }

    /// Checks that each way of encoding fails with this category and text, and names the second part.
    private func expectFailure(
        of form: MultipartFormData, _ category: UploadFailure.Category, _ text: String
    ) async throws {
        for failure in try await form.failures() {
            let failure = try #require(failure)
            #expect(failure.category == category)
            #expect(failure.summary.hasPrefix("part 2 of the form, \"photo\": "), "\(failure.summary)")
            #expect(failure.summary.contains(text), "\(failure.summary)")
        }
    }

    // LeftOut.md, item 11
    @Test func `a destination that exists stays as it is`() async throws {
        try directory.write("mine".utf8, to: "there")
        let failure = await failure { try await MultipartFormData().write(to: directory.path("there")) }
        #expect(failure?.summary.hasSuffix("cannot be written: it exists") == true)
        #expect(FileManager.default.contents(atPath: directory.path("there")) == Data("mine".utf8))
    }

    // LeftOut.md, item 11
    @Test func `a link is not followed, wherever it leads`() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: directory.path("target"))
        let failure = await failure { try await MultipartFormData().write(to: directory.path("link")) }
        #expect(failure?.summary.contains("it exists") == true)
        #expect(!FileManager.default.fileExists(atPath: directory.path("target")))
    }

    // LeftOut.md, item 12
    @Test(arguments: ["https://host/a", "file:///tmp/a", ""])
    func `a destination must be a path`(destination: String) async throws {
        let failure = await failure { try await MultipartFormData().write(to: destination) }
        #expect(failure?.hint == "give the path of a file on this machine")
    }

    @Test func `a destination must lie in a folder that is there`() async throws {
        let failure = await failure { try await MultipartFormData().write(to: directory.path("no/form")) }
        #expect(failure?.summary.hasSuffix("no such folder") == true)
    }

    @Test func `a file that was written is its owner's alone`() async throws {
        try await MultipartFormData().write(to: directory.path("form"))
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("form"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    // LeftOut.md, item 14
    @Test func `an address is not a file`() async throws {
        let form = form { $0.append(file: "https://example.com/image.jpg", name: "photo") }
        try await expectFailure(of: form, .permanent, "is an address, not the path of a file")
    }

    // LeftOut.md, item 15
    @Test func `a file that is missing is named`() async throws {
        let form = form { $0.append(file: directory.path("gone.png"), name: "photo") }
        try await expectFailure(of: form, .sourceUnreadable, "gone.png: no such file")
    }

    // LeftOut.md, item 16
    @Test func `a folder is named`() async throws {
        let form = form { $0.append(file: directory.path, name: "photo") }
        try await expectFailure(of: form, .sourceUnreadable, "is a folder")
    }

    // LeftOut.md, item 17
    @Test func `the first of several bad parts is reported`() async throws {
        let form = form {
            $0.append(json: Double.nan, name: "photo")
            $0.append(file: directory.path("gone"), name: "other")
        }
        try await expectFailure(of: form, .permanent, "cannot be written as JSON")
    }

    // LeftOut.md, item 19
    @Test(arguments: [
        (5, "ended after 3 bytes, it declared 5"), (2, "brought 3 bytes or more, it declared 2"),
    ])
    func `a stream of another length than it declared is reported with both`(length: ByteCount, text: String)
        async throws
    {
        let form = form { $0.append(stream: .of([[1], [2, 3]], length: length), name: "photo") }
        try await expectFailure(of: form, .permanent, text)
        // The segments show how the form would be sent.
        let segments = try await form.open().segments
        let failure = await failure {
            for case .stream(let stream) in segments { for try await _ in try await stream.open() {} }
        }
        #expect(failure?.summary.contains(text) == true)
    }

    @Test func `a stream that cannot begin or breaks off is named`() async throws {
        struct Broken: Error {}
        let cannotBegin = form { $0.append(stream: BodyStream { throw Broken() }, name: "photo") }
        try await expectFailure(of: cannotBegin, .sourceUnreadable, "the stream failed: Broken()")
        let breaksOff = form {
            $0.append(
                stream: BodyStream {
                    AsyncThrowingStream { stream in
                        stream.yield([1])
                        stream.finish(throwing: Broken())
                    }
                }, name: "photo")
        }
        try await expectFailure(of: breaksOff, .sourceUnreadable, "the stream failed: Broken()")
    }

    @Test func `a stream that can be read once says so the second time`() async throws {
        let form = form {
            let chunks = AsyncThrowingStream<[UInt8], any Error> { $0.finish() }
            $0.append(stream: .once(chunks), name: "photo")
        }
        _ = try await form.encode()
        try await expectFailure(of: form, .permanent, "read already")
        let body = try await form.open()
        #expect(
            body.segments.contains {
                if case .stream(let stream) = $0 { !stream.canBegin } else { false }
            })
    }

    @Test func `a file that changes between opening and reading is named`() async throws {
        for change in ["grows", "shrinks"] {
            let path = directory.path(change)
            let form = {
                var form = MultipartFormData()
                form.append(
                    stream: BodyStream {
                        try Data(repeating: 1, count: change == "grows" ? 101 : 99).write(
                            to: URL(fileURLWithPath: path))
                        return AsyncThrowingStream { $0.finish() }
                    }, name: "first")
                form.append(file: path, name: "photo")
                return form
            }()
            for read in [
                { _ = try await form.encode() }, { _ = try await form.streamed() },
                { _ = try await form.write(to: directory.path("form")) },
            ] as [() async throws -> Void] {
                // The content is replaced without a rename, so the inode stays the same.
                try directory.write(Array(repeating: 0, count: 100), to: change)
                let failure = await failure(read)
                #expect(failure?.category == .sourceChanged)
                #expect(failure?.summary.hasPrefix("part 2 of the form, \"photo\": \(path): edited") == true)
            }
            #expect(!FileManager.default.fileExists(atPath: directory.path("form")))
        }
    }

    @Test func `a file that changes while it is read is named`() async throws {
        let file = try PatternFile(at: directory.path("a"), count: 4 << 20)
        let form = form { $0.append(file: file.path, name: "photo") }
        let failure = await failure {
            var count = 0
            for try await chunk in try await form.chunks() {
                if count < 1 << 20, count + chunk.count >= 1 << 20 {
                    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
                    try handle.truncate(atOffset: 3 << 20)
                    try handle.close()
                }
                count += chunk.count
            }
        }
        #expect(failure?.category == .sourceChanged)
    }

    @Test(arguments: ["image/jpeg, image/png", "a/b\r\nX-Evil: 1", ""])
    func `a type that is none is named`(type: String) async throws {
        let form = form { $0.append("v", name: "photo", contentType: type) }
        try await expectFailure(of: form, .permanent, "is not a media type")
    }

    @Test func `a part's own headers cannot replace its disposition`() async throws {
        let form = form {
            $0.append("v", name: "photo", headers: [.contentDisposition: "form-data; name=\"other\""])
        }
        try await expectFailure(of: form, .permanent, "Content-Disposition")
    }

    // LeftOut.md, item 21
    @Test func `a header's value cannot begin another header`() async throws {
        let form = form {
            $0.append("v", name: "photo", headers: [.contentLanguage: "de\r\nX-Evil: 1\r\n\r\nv"])
        }
        #expect(!(try await form.text().contains("\r\nX-Evil")))
    }

    @Test func `a name is reported without what could steer a terminal`() async throws {
        var form = MultipartFormData()
        form.append(file: directory.path("gone"), name: "\u{1B}[2J\r\n" + String(repeating: "x", count: 1000))
        let failure = await failure { _ = try await form.open() }
        #expect(failure?.summary.contains("\u{1B}") == false)
        #expect(failure.map { $0.summary.count < 400 } == true)
    }

    @Test func `a boundary that was agreed on may be in no content`() async throws {
        let content = Array("a line\n--B\r\nanother".utf8)
        try directory.write(Array(repeating: 0, count: (1 << 20) - 9) + content, to: "a")
        let appends: [(inout MultipartFormData) -> Void] = [
            { $0.append(content, name: "photo") },
            { [directory] in $0.append(file: directory.path("a"), name: "photo") },
            { $0.append(stream: .of(content.map { [$0] }), name: "photo") },
        ]
        for append in appends {
            var form = try MultipartFormData(boundary: "B")
            form.append("v", name: "first")
            append(&form)
            try await expectFailure(of: form, .permanent, "holds the form's boundary")
        }
    }

    @Test(arguments: ["", "ends with a space ", "\"", "ä", String(repeating: "x", count: 71)])
    func `a boundary that cannot be one is named`(boundary: String) async throws {
        let failure = await failure { _ = try MultipartFormData(boundary: boundary) }
        #expect(failure?.summary == "\(boundary.debugDescription) cannot be the boundary of a form")
    }

    @Test func `a form over the limit is refused before it is read`() async throws {
        _ = try PatternFile(at: directory.path("huge"), count: 1 << 40, isSparse: true)
        var form = MultipartFormData()
        form.append(file: directory.path("huge"), name: "f")
        let failure = await failure { _ = try await form.encode() }
        #expect(failure?.summary.contains("no more than 268435456 may be held in memory") == true)
    }

    @Test func `a form without a length is read up to the limit`() async throws {
        var form = MultipartFormData()
        form.append(stream: .of(Array(repeating: [1, 2, 3, 4], count: 100)), name: "s")
        let length = ByteCount(try await form.encode().count)
        #expect(try await form.encode(limit: length).count == length)
        #expect(await failure { _ = try await form.encode(limit: length - 1) } != nil)
    }

    @Test func `a stream cannot declare less than nothing`() async throws {
        let form = form { $0.append(stream: .of([], length: -1), name: "photo") }
        try await expectFailure(of: form, .permanent, "declares -1 bytes")
    }

    // LeftOut.md, item 25
    @Test func `a missing source fails whatever the threshold, and leaves nothing behind`() async throws {
        let form = form { $0.append(file: directory.path("gone"), name: "photo") }
        for threshold in [0, ByteCount.max] {
            #expect(
                await failure { _ = try await form.body(memoryThreshold: threshold) }?.category
                    == .sourceUnreadable)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    // LeftOut.md, item 26
    @Test func `a writing that is cancelled takes its file away, not the user's`() async throws {
        try directory.write([1], to: "mine")
        let (began, goOn) = (Gate(), Gate())
        var form = MultipartFormData()
        form.append(file: directory.path("mine"), name: "f")
        form.append(
            stream: BodyStream {
                began.open()
                try await goOn.wait()
                return AsyncThrowingStream { $0.finish() }
            }, name: "s")
        let destination = directory.path("form")
        let writing = Task { [form] in try await form.write(to: destination) }
        try await began.wait()
        #expect(FileManager.default.fileExists(atPath: destination))
        writing.cancel()
        goOn.open()
        await #expect(throws: CancellationError.self) { try await writing.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["mine"])
    }
}
