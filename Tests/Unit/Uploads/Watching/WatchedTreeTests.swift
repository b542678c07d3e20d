import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A source of events that the test decides.
private final class ScriptedEvents: FolderEvents {
    var watched: [LocalPath] = []
    var refusal: UnwatchedFolder?

    func watch(_ folder: LocalPath) -> UnwatchedFolder? {
        watched.append(folder)
        return refusal
    }

    func wait(for wakeup: WakeupPipe, upTo limit: Duration?) -> [FolderEvent] { [] }
}

/// Tests scans of a real folder at times that the test decides.
struct WatchedTreeTests {
    private let directory: TemporaryDirectory
    private let events = ScriptedEvents()
    private let start = SuspendingClock.now

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path("out"), withIntermediateDirectories: false)
    }

    private func tree(
        recursive: Bool = true, known: [LocalPath: FileIdentity] = [:], exceptions: [LocalPath] = []
    ) -> WatchedTree {
        WatchedTree(
            WatchedFolder(path: path(""), isRecursive: recursive, settle: .seconds(5)), known: known,
            exceptions: exceptions)
    }

    private func path(_ name: String) -> LocalPath {
        LocalPath(directory.path("out") + (name.isEmpty ? "" : "/" + name))
    }

    private func identity(_ name: String) throws -> FileIdentity {
        try #require(FileIdentity.ofName(path(name)))
    }

    private func work(_ tree: inout WatchedTree, at seconds: Double, _ happened: FolderEvent...)
        -> [WatchReport]
    {
        tree.work(happened, events: events, at: start.advanced(by: .seconds(seconds)))
    }

    private func ready(_ reports: [WatchReport]) -> [String] {
        reports.compactMap { if case .ready(let file) = $0 { file.relativeName } else { nil } }.sorted()
    }

    private func nextMoment(_ tree: WatchedTree) -> SuspendingClock.Instant? {
        var tree = tree
        return tree.nextMoment()
    }

    private func notices(_ reports: [WatchReport]) -> [String] {
        reports.compactMap { if case .notice(let text) = $0 { text } else { nil } }
    }

    @Test func `an existing file is reported once it has settled, by its path below the folder`() throws {
        try directory.write([1], to: "out/a.mov")
        try directory.write([2], to: "out/day3/cam1/b.mov")
        try directory.write([3], to: "out/c.part")
        var tree = tree()
        #expect(ready(work(&tree, at: 0)) == [])
        #expect(tree.state.settling == 2)
        #expect(ready(work(&tree, at: 4.9)) == [])
        #expect(ready(work(&tree, at: 5)) == ["a.mov", "day3/cam1/b.mov"])
        #expect(tree.state.settling == 0)
        #expect(ready(work(&tree, at: 60)) == [])
        #expect(Set(events.watched) == [path(""), path("day3"), path("day3/cam1")])
    }

    @Test func `without recursion folders are left alone`() throws {
        try directory.write([2], to: "out/day3/b.mov")
        var tree = tree(recursive: false)
        _ = work(&tree, at: 0, .folderCame(path("day3")), .changed(path("day3/b.mov")))
        #expect(ready(work(&tree, at: 5)) == [])
        #expect(events.watched == [path("")])
    }

    @Test func `a file that is written again is reported again, when it has settled`() throws {
        try directory.write([1], to: "out/a")
        var tree = tree()
        _ = work(&tree, at: 0)
        #expect(ready(work(&tree, at: 5)) == ["a"])
        try directory.write([1, 2], to: "out/a")
        #expect(ready(work(&tree, at: 6, .changed(path("a")))) == [])
        try directory.write([1, 2, 3], to: "out/a")
        #expect(ready(work(&tree, at: 11)) == [])
        #expect(ready(work(&tree, at: 16)) == ["a"])
    }

    @Test func `an event on an unchanged file is not reported`() throws {
        try directory.write([1], to: "out/a")
        var tree = tree()
        _ = work(&tree, at: 0)
        _ = work(&tree, at: 5)
        #expect(chmod(directory.path("out/a"), 0o600) == 0)
        #expect(ready(work(&tree, at: 6, .changed(path("a")))) == [])
        #expect(ready(work(&tree, at: 11)) == [])
        #expect(tree.state.settling == 0)
    }

    @Test func `an unseen change is found by the next full scan`() throws {
        var tree = tree()
        _ = work(&tree, at: 0)
        try directory.write([1], to: "out/new/a")
        #expect(nextMoment(tree) == start.advanced(by: WatchedTree.longRound))
        _ = work(&tree, at: 60)
        #expect(ready(work(&tree, at: 65)) == ["new/a"])
    }

    @Test func `when events were lost, all is looked at at once`() throws {
        var tree = tree()
        _ = work(&tree, at: 0)
        try directory.write([1], to: "out/new/a")
        _ = work(&tree, at: 1, .lost)
        #expect(ready(work(&tree, at: 6)) == ["new/a"])
    }

    @Test func `a folder that is moved in is watched, and what is in it found`() throws {
        var tree = tree()
        _ = work(&tree, at: 0)
        try directory.write([1], to: "elsewhere/deep/a")
        try FileManager.default.moveItem(
            atPath: directory.path("elsewhere"), toPath: directory.path("out/in"))
        _ = work(&tree, at: 1, .folderCame(path("in")))
        #expect(events.watched.suffix(2) == [path("in"), path("in/deep")])
        #expect(ready(work(&tree, at: 6)) == ["in/deep/a"])
    }

    @Test func `a file that leaves with its folder is gone`() throws {
        try directory.write([1], to: "out/in/a")
        var tree = tree()
        _ = work(&tree, at: 0)
        _ = work(&tree, at: 5)
        try FileManager.default.moveItem(
            atPath: directory.path("out/in"), toPath: directory.path("elsewhere"))
        #expect(work(&tree, at: 6, .folderWent(path("in"))).contains(.gone(path("in/a"))))
    }

    @Test func `many folders that go at once are gone after one look at all`() throws {
        let names = (0..<20).map { "day\($0)/a" }
        for name in names { try directory.write([1], to: "out/" + name) }
        var tree = tree(
            known: Dictionary(uniqueKeysWithValues: try names.map { (path($0), try identity($0)) }))
        _ = work(&tree, at: 0)
        let folders = (0..<20).map { path("day\($0)") }
        for folder in folders { try FileManager.default.removeItem(atPath: folder.text) }
        let reports = tree.work(
            folders.map(FolderEvent.folderWent), events: events, at: start.advanced(by: .seconds(1)))
        let gone = reports.compactMap { if case .gone(let path) = $0 { path } else { nil } }
        #expect(Set(gone) == Set(names.map(path)))
    }

    @Test(arguments: [
        ("/out/a", "/out", true), ("/out/a", "/out/", true), ("/out/a/b", "/out", true), ("/a", "/", true),
        ("/out", "/out", false), ("/out/", "/out", false), ("/outer/a", "/out", false), ("/", "/", false),
        ("/ou", "/out", false),
    ])
    func `a path is below a folder if it begins with the folder's path and a slash`(
        path: String, folder: String, isBelow: Bool
    ) {
        #expect(LocalPath(path).isBelow(LocalPath(folder)) == isBelow)
        #expect((LocalPath(path).names(below: LocalPath(folder)) != nil) == isBelow)
    }

    @Test func `a file that was deleted before it settled is forgotten, and a reported one is gone`() throws {
        try directory.write([1], to: "out/a")
        var tree = tree()
        _ = work(&tree, at: 0)
        _ = work(&tree, at: 5)
        try directory.write([1], to: "out/b")
        _ = work(&tree, at: 6, .changed(path("b")))
        try FileManager.default.removeItem(atPath: directory.path("out/a"))
        try FileManager.default.removeItem(atPath: directory.path("out/b"))
        let reports = work(&tree, at: 7, .changed(path("a")), .changed(path("b")))
        #expect(reports.filter { if case .gone = $0 { true } else { false } } == [.gone(path("a"))])
        #expect(tree.state.settling == 0)
    }

    @Test func `a file that is known from before is not reported, whatever its device`() throws {
        try directory.write([1], to: "out/a")
        var known = try identity("a")
        known.device += 1
        var tree = tree(known: [path("a"): known])
        _ = work(&tree, at: 0)
        #expect(ready(work(&tree, at: 5)) == [])
    }

    @Test func `files of a medium that is away are not gone`() throws {
        try directory.write([1], to: "out/a")
        var known = try identity("a")
        known.device += 1
        var tree = tree(known: [path("b"): known, path("c"): try identity("a")])
        let gone = work(&tree, at: 0).filter { if case .gone = $0 { true } else { false } }
        #expect(gone == [.gone(path("c"))])
    }

    @Test func `a folder that is not there is reported once, looked for, and found`() throws {
        try FileManager.default.removeItem(atPath: directory.path("out"))
        var tree = tree()
        #expect(notices(work(&tree, at: 0)) == ["\(path("").text) is not there; it is looked for"])
        #expect(nextMoment(tree) == start.advanced(by: WatchedTree.absence))
        #expect(notices(work(&tree, at: 3)) == [])
        #expect(tree.state.path == nil)
        try directory.write([1], to: "out/a")
        #expect(notices(work(&tree, at: 6)) == ["\(path("").text) is there now"])
        #expect(ready(work(&tree, at: 11)) == ["a"])
        try FileManager.default.removeItem(atPath: directory.path("out"))
        #expect(
            notices(work(&tree, at: 12, .folderWent(path("")))) == [
                "\(path("").text) is not there; it is looked for"
            ])
    }

    @Test func `a limit of the system is named once, and all is looked at more often`() throws {
        events.refusal = .limit(setting: "fs.inotify.max_user_watches")
        var tree = tree()
        let texts = notices(work(&tree, at: 0))
        #expect(texts.count == 1)
        #expect(texts.first?.contains("fs.inotify.max_user_watches") == true)
        #expect(nextMoment(tree) == start.advanced(by: WatchedTree.shortRound))
        #expect(notices(work(&tree, at: 10)) == [])
    }

    @Test func `a folder for moved files is not looked into`() throws {
        try directory.write([1], to: "out/sent/a")
        var tree = tree(exceptions: [path("sent")])
        _ = work(&tree, at: 0, .folderCame(path("sent")))
        #expect(ready(work(&tree, at: 5)) == [])
    }

    @Test func `a symbolic link is no file, and is not followed`() throws {
        try directory.write([1], to: "elsewhere/a")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("out/link"), withDestinationPath: directory.path("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("out/a"), withDestinationPath: directory.path("elsewhere/a"))
        var tree = tree()
        _ = work(&tree, at: 0)
        #expect(ready(work(&tree, at: 5)) == [])
    }

    @Test func `asked to look again, it reports a file that is as it was`() throws {
        try directory.write([1], to: "out/a")
        var tree = tree()
        _ = work(&tree, at: 0)
        _ = work(&tree, at: 5)
        tree.lookAgain(at: path("a"), now: start.advanced(by: .seconds(6)))
        _ = work(&tree, at: 6)
        #expect(ready(work(&tree, at: 11)) == ["a"])
        #expect(ready(work(&tree, at: 16)) == [])
    }

    #if os(Linux)
        @Test func `a file that is open for writing is not whole, however still it is`() throws {
            let file = try directory.write([1], to: "out/a")
            try #require(FileSystemKind.tellsWriters(path(""), try identity("a").device))
            let descriptor = open(file, O_WRONLY | O_APPEND)
            var tree = tree()
            _ = work(&tree, at: 0)
            #expect(ready(work(&tree, at: 5)) == [])
            #expect(tree.state.inUse == 1 && tree.state.settling == 0)
            #expect(notices(work(&tree, at: 61)).contains { $0.contains("still open for writing") })
            close(descriptor)
            _ = work(&tree, at: 62, .changed(path("a")))
            #expect(ready(work(&tree, at: 67)) == ["a"])
        }

        @Test func `one that is mapped to be written is not whole`() throws {
            let file = try directory.write([1], to: "out/a")
            let descriptor = open(file, O_RDWR)
            let memory = mmap(nil, 1, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            close(descriptor)
            var tree = tree()
            _ = work(&tree, at: 0)
            #expect(ready(work(&tree, at: 5)) == [])
            munmap(memory, 1)
            #expect(ready(work(&tree, at: 10)) == ["a"])
        }
    #endif
}
