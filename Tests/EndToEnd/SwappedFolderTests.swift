import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests a symbolic link that replaces a folder in the path of a queued file at a random time.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct SwappedFolderTests {
    private let place: Workplace
    private let server: HostileServer

    init() throws {
        place = try Workplace()
        try place.file("day/a.bin", "mine, and meant to go")
        try place.file("secret/a.bin", "another's, and secret")
        server = try HostileServer { connection in
            while try connection.waitForRequest() {
                try connection.readRequest()
                try connection.answer(201)
            }
        }
        try place.configure("put", at: server.url("/in/"))
    }

    @Test func `F14 a link in the way holds the upload, and a retry does not follow it`() async throws {
        defer { server.stop() }
        try await place.ferry("add", place.path("day/a.bin"))
        #expect(rename(place.path("day"), place.path("kept")) == 0)
        #expect(symlink("secret", place.path("day")) == 0)
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(
            upload.error
                == "\(place.path("day/a.bin")): \(place.path("day")) is a symbolic link now and leads to \(place.path("secret"))"
        )
        #expect(upload.hint == "remove it and add it again if that is meant")
        let retry = try await place.ferry("retry", "1")
        #expect(retry.ending == .exited(2))
        #expect(retry.errors.hasSuffix("hint: remove it and add it again if that is meant\n"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        #expect(server.requests.isEmpty)
        // Once the original folder is back, the upload resumes.
        #expect(unlink(place.path("day")) == 0)
        #expect(rename(place.path("kept"), place.path("day")) == 0)
        #expect(try await place.ferry("retry", "1").ending == .exited(0))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["mine, and meant to go"])
    }

    @Test
    func `F14 while a folder and a link are swapped all the time, no byte of the other file is sent`()
        async throws
    {
        defer { server.stop() }
        for _ in 0..<6 { try await place.ferry("add", place.path("day/a.bin")) }
        let (stop, stopped) = (Gate(), Gate())
        let (day, kept, away) = (place.path("day"), place.path("kept"), place.path("away"))
        #expect(symlink("secret", away) == 0)
        Thread.detachNewThread {
            var swaps = 0
            while !stop.isOpen, swaps < 10_000_000 {
                // The path exists all the time, except between the two renames.
                rename(day, kept)
                rename(away, day)
                rename(day, away)
                rename(kept, day)
                swaps += 1
            }
            stopped.open()
        }
        for _ in 0..<8 {
            try await place.ferry("run", "--exit-when-idle")
            try await place.ferry("retry", "--all")
        }
        stop.open()
        try await stopped.wait()
        let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.allSatisfy { "mine, and meant to go".hasPrefix($0) }, "\(Set(bodies))")
        try await place.ferry("retry", "--all")
        try await place.ferry("run", "--exit-when-idle")
        #expect(try await place.list().allSatisfy { $0.state == "done" })
    }
}
