import AsyncHTTPClient
import FerryProtocols
import FerryTransfer
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends bodies by PUT to URL0, URL1, … at the same time. Prints the seconds from the first request to the last
/// response, and the HTTP versions used.
///
/// `ferry` sends the file by Ferry's transport. `1.1` and `2` send one buffer repeatedly by AsyncHTTPClient, on which
/// Ferry's transport is based, in that version. `Tests/bench http2` builds and runs this program.
@main
struct HTTPVersions {
    struct Refused: Error {
        var status: Int
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let uploads = Int(arguments[5]) else {
            let usage = "usage: http-versions ferry|1.1|2 URL AUTHORITY FILE UPLOADS\n"
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        let (way, url, authority) = (arguments[1], arguments[2], arguments[3])
        let file = try SourceFile(LocalPath(arguments[4]))
        let transport = try HTTPClientTransport(.init(tls: TLSSettings(caFile: authority), proxy: .none))
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(authority)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.httpVersion = way == "2" ? .automatic : .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let start = ContinuousClock.now
        let versions = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<uploads {
                group.addTask {
                    way == "ferry"
                        ? try await put(file, to: "\(url)\(number)", with: transport)
                        : try await put(file.identity.size >> 20, to: "\(url)\(number)", with: client)
                }
            }
            var versions: Set<String> = []
            for try await version in group { versions.insert(version) }
            return versions
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try await client.shutdown()
        await transport.shutdown()
        print("\(seconds) \(versions.sorted().joined(separator: ","))")
    }

    private static func put(
        _ file: SourceFile, to url: String, with transport: HTTPClientTransport
    ) async throws -> String {
        let body = FileBody(file: file, identity: file.identity, range: 0..<file.identity.size)
        let answer = try await transport.perform(
            TransportRequest(method: .put, url: url, body: .file(body)), delegate: nil)
        guard (200..<300).contains(answer.status) else { throw Refused(status: answer.status) }
        return "HTTP/1.1"
    }

    /// Sends one body.
    ///
    /// - Returns: The HTTP version that was used, such as `HTTP/1.1`.
    private static func put(
        _ mebibytes: Int64, to url: String, with client: HTTPClient
    ) async throws -> String {
        var request = HTTPClientRequest(url: url)
        request.method = .PUT
        request.body = .stream(Chunks(count: Int(mebibytes)), length: .known(mebibytes << 20))
        let answer = try await client.execute(request, timeout: .minutes(10))
        _ = try await answer.body.collect(upTo: 1 << 20)
        guard (200..<300).contains(answer.status.code) else { throw Refused(status: Int(answer.status.code)) }
        return "\(answer.version)"
    }
}

/// A sequence of chunks of 1 MiB that all share one buffer.
private struct Chunks: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        let chunk: ByteBuffer
        var left: Int

        mutating func next() async -> ByteBuffer? {
            guard left > 0 else { return nil }
            left -= 1
            return chunk
        }
    }

    let chunk = ByteBuffer(repeating: 0x5a, count: 1 << 20)
    let count: Int

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunk: chunk, left: count) }
}
