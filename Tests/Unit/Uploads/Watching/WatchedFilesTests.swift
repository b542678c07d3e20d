import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WatchedFilesTests {
    @Test func `files are reported when they are whole, and known versions are not`() async throws {
        let directory = try TemporaryDirectory()
        let known = LocalPath(try directory.write(Array("old".utf8), to: "in/old"))
        let identity = try #require(FileSearch(isRecursive: false).find([known]).files.first?.identity)
        try directory.write(Array("part".utf8), to: "in/unfinished.part")
        try directory.write(Array("new".utf8), to: "in/new")
        let folder = WatchedFolder(path: LocalPath(directory.path("in")), settle: .milliseconds(50))
        var files = try folder.files(known: [known: identity]).makeAsyncIterator()
        let first = await files.next()
        #expect(first?.relativeName == "new")
        try directory.write(Array("later".utf8), to: "in/later")
        let second = await files.next()
        #expect(second?.relativeName == "later")
    }
}
