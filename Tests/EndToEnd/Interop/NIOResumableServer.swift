import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload

/// The server of resumable uploads of swift-nio-extras, in this process. It has the interop versions 3, 5 and 6.
///
/// It keeps its uploads in memory, and forgets an upload when it is complete or receives a wrong offset.
final class NIOResumableServer: Sendable {
    let port: Int
    private let channel: any Channel

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - folder: The folder for the files. Each is named by the last component of the URL that created it.
    ///   - version: The only interop version that the server accepts; nil for all.
    init(folder: String, version: Int? = nil) async throws {
        // Without an origin the server sends relative URLs, which also work through a proxy.
        let context = HTTPResumableUploadContext(origin: "")
        // All connections share one event loop. With several, swift-nio-extras 1.35 may lose a response: it ends a
        // connection's work for an upload of another loop only after the next request has come. It then removes the
        // context of that request, and the client never gets a response.
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    if let version { try pipeline.addHandler(OnlyVersion(version: version)) }
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(context: context) { upload in
                            try? upload.pipeline.syncOperations.addHandler(StoringHandler(folder: folder))
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws { try await channel.close() }
}

/// Makes the server treat all versions but one as unknown.
private final class OnlyVersion: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let version: Int

    init(version: Int) { self.version = version }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if case .head(var head) = part, let name = HTTPField.Name("Upload-Draft-Interop-Version"),
            let asked = head.headerFields[name], asked != "\(version)"
        {
            head.headerFields[name] = "99"
            part = .head(head)
        }
        context.fireChannelRead(wrapInboundOut(part))
    }
}

/// Writes the body into a file, and responds at its end.
private final class StoringHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let folder: String
    private var file: FileHandle?

    init(folder: String) { self.folder = folder }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let name = (head.path ?? "").split(separator: "/").last?.removingPercentEncoding ?? "unnamed"
            let path = folder + "/" + name
            _ = FileManager.default.createFile(atPath: path, contents: nil)
            file = FileHandle(forWritingAtPath: path)
        case .body(let bytes):
            do { try file?.write(contentsOf: Data(bytes.readableBytesView)) } catch {
                context.close(promise: nil)
            }
        case .end:
            try? file?.close()
            context.write(wrapOutboundOut(.head(HTTPResponse(status: .created))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
