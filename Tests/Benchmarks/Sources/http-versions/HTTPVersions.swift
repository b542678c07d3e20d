import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Puts bodies to URL0, URL1, … at the same time with AsyncHTTPClient, all by one version of HTTP, and prints the seconds
/// from the first request to the last answer and the versions that were spoken.
///
/// The bodies are one buffer, sent again and again: what is measured is the protocol and the TLS, no file. `Tests/bench
/// http2` builds and runs it.
@main
struct HTTPVersions {
    struct Refused: Error {
        var status: HTTPResponseStatus
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let size = Int(arguments[4]), let uploads = Int(arguments[5]) else {
            let usage = "usage: http-versions 1.1|2 URL AUTHORITY MEBIBYTES UPLOADS\n"
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(arguments[3])
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = arguments[1] == "2" ? .automatic : .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let url = arguments[2]
        let start = ContinuousClock.now
        let versions = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<uploads {
                group.addTask { try await put(size, to: "\(url)\(number)", with: client) }
            }
            var versions: Set<String> = []
            for try await version in group { versions.insert(version) }
            return versions
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try await client.shutdown()
        print("\(seconds) \(versions.sorted().joined(separator: ","))")
    }

    /// - Returns: The version that was spoken, such as `HTTP/1.1`.
    private static func put(_ mebibytes: Int, to url: String, with client: HTTPClient) async throws -> String
    {
        var request = HTTPClientRequest(url: url)
        request.method = .PUT
        request.body = .stream(Pieces(count: mebibytes), length: .known(Int64(mebibytes) << 20))
        let answer = try await client.execute(request, timeout: .minutes(10))
        _ = try await answer.body.collect(upTo: 1 << 20)
        guard (200..<300).contains(answer.status.code) else { throw Refused(status: answer.status) }
        return "\(answer.version)"
    }
}

/// One MiB many times; all share one buffer's memory.
private struct Pieces: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        let piece: ByteBuffer
        var left: Int

        mutating func next() async -> ByteBuffer? {
            guard left > 0 else { return nil }
            left -= 1
            return piece
        }
    }

    let piece = ByteBuffer(repeating: 0x5a, count: 1 << 20)
    let count: Int

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(piece: piece, left: count) }
}
