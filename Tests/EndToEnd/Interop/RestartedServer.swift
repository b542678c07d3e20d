import FerryTestSupport
import Testing

/// A tus server that ends in the middle of an upload, and is started again at its port.
struct RestartedServer {
    /// The folder in which the server keeps the bytes of unfinished uploads.
    var folder: String
    /// Ends the server.
    var end: (InteropServer) async throws -> Void
    /// Starts the server. Without a port it takes any.
    var start: (_ port: Int?) async throws -> InteropServer

    /// Uploads the file `CutUpload.name`. The server is away from a quarter of the file until Ferry has noticed it.
    /// - Parameters:
    ///   - path: The path of the destination's address, from its slash.
    ///   - more: Further members of the destination, with a comma before them.
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
