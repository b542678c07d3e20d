import FerryTestSupport
import Testing

/// A tus server that is restarted on the same port during an upload.
struct RestartedServer {
    /// The folder in which the server stores the bytes of unfinished uploads.
    var folder: String
    /// Ends the server.
    var end: (InteropServer) async throws -> Void
    /// Starts the server on a port; nil for any.
    var start: (_ port: Int?) async throws -> InteropServer

    /// Uploads the file `CutUpload.name`. The server ends after a quarter of the file, and starts again when Ferry has
    /// noticed it.
    /// - Parameters:
    ///   - path: The path of the destination's URL, with its leading slash.
    ///   - more: Further members of the destination, each after a comma.
    /// - Returns: The upload at the end.
    func upload(in place: Workplace, to path: String, more: String = "") async throws -> UploadLine {
        let file = try place.file(CutUpload.name, "")
        _ = try PatternFile(at: file, count: 20_000_000, seed: 43)
        let first = try await start(nil)
        try place.configure("tus", at: first.url(path), more: more, limits: #"{ "bandwidth": "8M" }"#)
        try await place.ferry("add", file)
        let engine = try place.start("run", "--json", "--exit-when-idle")
        try await Eventually.holds("a quarter of the file at the server") {
            InteropServer.largestFile(in: folder) > 5_000_000
        }
        try await end(first)
        try await engine.output.wait { $0.contains { $0.contains(#""state":"waiting""#) } }
        let second = try await start(first.port)
        #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
        try await second.stop()
        return try #require(try await place.list().first)
    }
}
