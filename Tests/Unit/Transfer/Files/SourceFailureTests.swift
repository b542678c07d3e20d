import FerryTestSupport
import Foundation
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests the failures that system errors about a file cause.
struct SourceFailureTests {
    private static let path = LocalPath("/medium/file")

    @Test(arguments: [EIO, ENODEV, ENXIO, ESTALE, ETIMEDOUT, EHOSTDOWN, ENOTCONN])
    func `F13 a medium that may come back is waited for`(code: CInt) {
        let failure = SourceFile.failure(Self.path, Errno(rawValue: code))
        #expect(failure.category == .sourceAway)
        #expect(failure.isTransient)
        #expect(failure.summary.hasPrefix("/medium/file: source not readable ("))
        #expect(failure.hint?.contains("by itself") == true)
    }

    #if os(Linux)
        @Test(arguments: [EREMOTEIO, ENOMEDIUM, ENOKEY])
        func `F13 a medium that may come back is waited for, on Linux`(code: CInt) {
            #expect(SourceFile.failure(Self.path, Errno(rawValue: code)).category == .sourceAway)
        }
    #endif

    @Test(arguments: [EACCES, EPERM])
    func `F5 a file that may not be read is named with the next step`(code: CInt) {
        let failure = SourceFile.failure(Self.path, Errno(rawValue: code))
        #expect(failure.category == .sourceUnreadable)
        #expect(!failure.isTransient)
        #expect(failure.summary == "/medium/file: permission denied")
        #expect(failure.hint == "let this user read it (`chmod`, `chown`), then retry")
        #expect(failure.detail == .permission)
    }

    @Test func `S18 a lack of descriptors names the limit and what raises it`() throws {
        let limit = try #require(DescriptorLimit.current)
        let failure = SourceFile.failure(Self.path, .tooManyOpenFiles)
        #expect(failure.category == .descriptors)
        let general = "too many open files: the limit is \(limit); `ulimit -n` raises it"
        #expect(failure.summary == "/medium/file: \(general)")
        #expect(failure.ofEveryUpload.summary == general)
        // A process cannot raise the limit of the whole machine.
        #expect(
            SourceFile.failure(Self.path, .tooManyOpenFilesInSystem).ofEveryUpload.summary
                == "too many open files on this machine")
    }

    @Test func `F13 a file that is missing beside its siblings is not taken for a medium that is away`()
        throws
    {
        let file = try TestFile(count: 10)
        let identity = try file.open().identity
        let missing = LocalPath(file.directory.path("missing"))
        #expect(!Volume.isAway(missing, expecting: identity))
        #expect(!Volume.isAway(LocalPath(file.path), expecting: identity))
    }

    @Test func `F13 a file below a folder of another device is taken to be away`() throws {
        let file = try TestFile(count: 10)
        var identity = try file.open().identity
        identity.device &+= 1
        let missing = LocalPath(file.directory.path("folder/missing"))
        #expect(Volume.isAway(missing, expecting: identity))
    }

    @Test func `F13 a medium that comes back as another device has the same file`() throws {
        let source = try TestFile(count: 10).open()
        var expected = source.identity
        expected.device &+= 1
        #expect(source.recognized(expected) == source.identity)
        expected.inode &+= 1
        #expect(source.recognized(expected) == expected)
    }
}
