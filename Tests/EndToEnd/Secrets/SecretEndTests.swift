import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests that secrets are nowhere but at the server after each way in which an upload can end.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct SecretEndTests {
    private let place: Workplace

    init() throws {
        var place = try Workplace()
        // Swift's report of a crash takes seconds here. The package has no program that writes one.
        place.environment["SWIFT_BACKTRACE"] = "enable=no"
        self.place = place
    }

    @Test(arguments: SecretKind.atEachEnd)
    func `a secret appears nowhere else after each end of an upload`(kind: SecretKind) async throws {
        let site = try SecretEndServer(kind)
        defer { site.stop() }
        var shown = SecretSearch(place)
        try site.configure(place, hook: shown.hook)
        let ends = SecretEndServer.End.allCases.filter { $0 != .withoutTLS && $0 != .crash }
        let paths = try ends.map { try place.file($0.rawValue) }
        try await shown.run(["add"] + paths)
        let file = try place.file(SecretEndServer.End.withoutTLS.rawValue)
        try await shown.run("add", file, "--to", "withoutTLS")
        try await shown.run("run", "--exit-when-idle", "--json")
        let listed = try await shown.run("list", "--json")
        try await shown.run("state", "export")
        try shown.addFiles()
        shown.expectNone(of: kind, "after each end")
        let uploads = try UploadLine.all(in: listed.lines)
        #expect(uploads.count == ends.count + 1)
        for upload in uploads { Self.expectEnd(of: upload) }
        #expect(site.ended == Set(ends))
        #expect(shown.received.contains("\"event\":\"done\""))
        #expect(shown.received.contains("\"event\":\"failed\""))

        try await shown.run("add", try place.file(SecretEndServer.End.crash.rawValue))
        try await crash(&shown, when: site.crashes)
        try await shown.run("remove", "--all")
        try await shown.run("history", "--json")
        try shown.addFiles()
        shown.expectNone(of: kind, "after a crash, and after all were removed")
        #expect(try await place.list().isEmpty)
    }

    @Test func `the secrets of a sign-in appear nowhere else, however it fails`() async throws {
        let kind = SecretKind.failingSignIn
        let site = try SecretEndServer(kind)
        defer { site.stop() }
        var shown = SecretSearch(place)
        try site.configure(place, hook: shown.hook, signsInWithoutTLS: true)
        try await shown.run("add", try place.file("a"))
        try await shown.run("add", try place.file("b"), "--to", "withoutTLS")
        try await shown.run("run", "--exit-when-idle", "--json")
        try await shown.run("list")
        let listed = try await shown.run("list", "--json")
        try await shown.run("check", "here")
        try await shown.run("remove", "--all")
        try shown.addFiles()
        shown.expectNone(of: kind, "after each end of a sign-in")
        let uploads = try UploadLine.all(in: listed.lines)
        #expect(uploads.map(\.state) == ["held", "held"])
        for upload in uploads {
            #expect(upload.error?.hasPrefix("the credentials could not be renewed") == true, "\(upload)")
        }
        #expect(site.failedSignIns >= 4)
        #expect(shown.received.contains("\"event\":\"held\""))
    }

    /// Checks that the upload ended as the name of its file says. On a busy machine a response may come too late.
    private static func expectEnd(of upload: UploadLine) {
        let isLate = ["in time", "did not come"].contains { upload.error?.contains($0) == true }
        let states = SecretEndServer.End(rawValue: upload.name)?.states ?? []
        #expect(states.contains(upload.state) || isLate, "\(upload)")
    }

    /// Runs an engine that may write a core as large as the system allows, and crashes it when the gate opens.
    private func crash(_ shown: inout SecretSearch, when gate: Gate) async throws {
        let words = [
            "sh", "-c", #"ulimit -c "$(ulimit -H -c)"; cd "$0" && exec "$@""#, place.directory.path,
        ]
        let process = try place.start(through: words, ["run", "--json"])
        try await gate.wait()
        shown.addCommandLines()
        process.signal(SIGABRT)
        #expect(try await process.ending() == .killed(SIGABRT))
        shown.add(process.output.text + process.errors.text, from: "the crashed `ferry run`")
        let files = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        #expect(!files.contains { $0.hasPrefix("core") }, "\(files)")
    }
}
