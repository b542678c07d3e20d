#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing
    import FerryTransfer

    @testable import FerryUploads

    #if canImport(Glibc)
        import Glibc
    #endif

    /// Tests the events that the kernel reports for a real folder.
    struct FolderEventsTests {
        private let directory: TemporaryDirectory
        private let events: SystemFolderEvents
        private let wakeup: WakeupPipe

        init() throws {
            directory = try TemporaryDirectory()
            events = try SystemFolderEvents()
            wakeup = try WakeupPipe()
            #expect(events.watch(LocalPath(directory.path)) == nil)
        }

        private func path(_ name: String) -> LocalPath { LocalPath(directory.path(name)) }

        /// Returns the events up to `last`.
        private func reported(until last: FolderEvent) -> [FolderEvent] {
            var found: [FolderEvent] = []
            while !found.contains(last) {
                let more = events.wait(for: wakeup, upTo: .seconds(10))
                if more.isEmpty { break }
                found += more
            }
            return found
        }

        @Test func `a file that is made, closed, renamed and deleted is reported by its names`() throws {
            try directory.write([1], to: "a")
            #expect(reported(until: .changed(path("a"))).contains(.changed(path("a"))))
            #expect(rename(directory.path("a"), directory.path("b")) == 0)
            #expect(reported(until: .changed(path("b"))).contains(.changed(path("b"))))
            #expect(unlink(directory.path("b")) == 0)
            #expect(reported(until: .changed(path("b"))).contains(.changed(path("b"))))
        }

        @Test func `a folder in it is reported, and what is in that when it is watched`() throws {
            #expect(mkdir(directory.path("in"), 0o700) == 0)
            #expect(reported(until: .folderCame(path("in"))) == [.folderCame(path("in"))])
            #expect(events.watch(path("in")) == nil)
            try directory.write([1], to: "in/a")
            #expect(reported(until: .changed(path("in/a"))).contains(.changed(path("in/a"))))
        }

        @Test func `a folder that was moved reports by its new name when it is watched by that`() throws {
            #expect(mkdir(directory.path("in"), 0o700) == 0)
            _ = reported(until: .folderCame(path("in")))
            _ = events.watch(path("in"))
            #expect(rename(directory.path("in"), directory.path("on")) == 0)
            let moved = reported(until: .folderCame(path("on")))
            #expect(moved.contains(.folderWent(path("in"))))
            try directory.write([1], to: "on/early")
            #expect(events.watch(path("on")) == nil)
            try directory.write([1], to: "on/a")
            let after = reported(until: .changed(path("on/a")))
            #expect(after.contains(.changed(path("on/a"))))
            #expect(
                !after.contains {
                    if case .changed(let file) = $0 { file.isBelow(path("in")) } else { false }
                })
        }

        @Test func `the end of the folder itself is reported`() throws {
            #expect(rmdir(directory.path) == 0)
            #expect(
                reported(until: .folderWent(LocalPath(directory.path))).last
                    == .folderWent(LocalPath(directory.path)))
            #expect(events.watch(LocalPath(directory.path)) == .gone)
        }

        @Test func `an overflow of the system's event queue is reported`() throws {
            let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
            let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            guard limit <= 50_000 else { return }
            // Each round causes two events. Equal events in a row would be merged, so the names differ.
            for number in 0...limit / 2 {
                let descriptor = open(directory.path("\(number % 100)"), O_WRONLY | O_CREAT, 0o600)
                close(descriptor)
                unlink(directory.path("\(number % 100)"))
            }
            #expect(reported(until: .lost).last == .lost)
        }

        @Test func `the wakeup ends a wait without end`() throws {
            wakeup.ring()
            #expect(events.wait(for: wakeup, upTo: nil).isEmpty)
        }

        @Test func `a name that is no text arrives as it is`() throws {
            let name: [UInt8] = [0x61, 0xFF, 0x62]
            let file = LocalPath(directory.path).appending(name)
            let descriptor = file.withCString { open($0, O_WRONLY | O_CREAT, 0o600) }
            close(descriptor)
            #expect(reported(until: .changed(file)).contains(.changed(file)))
        }
    }
#endif
