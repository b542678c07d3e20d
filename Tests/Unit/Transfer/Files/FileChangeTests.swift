import FerryProtocols
import Testing

@testable import FerryTransfer

/// Tests the message about a file that is not the one that was added.
struct FileChangeTests {
    private static func file(inode: UInt64 = 1, size: ByteCount = 48 << 20, modified: Int64 = 1)
        -> FileIdentity
    {
        FileIdentity(device: 1, inode: inode, size: size, modified: modified, changed: 1)
    }

    @Test(
        arguments: [
            (file(size: 11), "edited while queued: was 48 MiB, is 11 B now"),
            (file(inode: 2, size: 11), "replaced while queued: was 48 MiB, is 11 B now"),
            (file(size: (48 << 20) + 1), "edited while queued: was 48 MiB, has 1 B more now"),
            (file(size: (48 << 20) - 1), "edited while queued: was 48 MiB, has 1 B less now"),
            (
                file(inode: 2),
                "replaced while queued: another file of 48 MiB is there now, modified 1970-01-01T00:00:00.000Z"
            ),
        ])
    func `the event of a change comes first, then sizes as people write them`(
        found: FileIdentity, text: String
    ) {
        let change = FileChange(queued: Self.file(), found: found, isWhileSent: false)
        #expect(change.failure(LocalPath("/a")).summary == "/a: " + text)
    }

    @Test func `a change of the same size shows the times`() {
        let summary = FileChange(
            queued: Self.file(), found: Self.file(modified: 2_000_000_000), isWhileSent: true
        )
        .failure(LocalPath("/a")).summary
        #expect(
            summary
                == "/a: edited while it was sent: same size, but modified 1970-01-01T00:00:02.000Z, and before that 1970-01-01T00:00:00.000Z"
        )
    }

    @Test func `sizes that no file has do not trap`() {
        let change = FileChange(
            queued: Self.file(size: .min), found: Self.file(size: .max), isWhileSent: false)
        #expect(change.failure(LocalPath("/a")).category == .sourceChanged)
    }
}
