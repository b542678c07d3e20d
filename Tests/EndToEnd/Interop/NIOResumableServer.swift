import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload

/// The server of resumable uploads that comes with swift-nio-extras, in this process: interop versions 3, 5 and 6.
///
/// It keeps in memory what it knows of uploads, and forgets one as soon as it is complete or is asked for a wrong
/// offset.
final class NIOResumableServer: Sendable {
    let port: Int
    private let channel: any Channel

    /// - Parameters:
    ///   - folder: The folder of the files, named by the last component of the address that made them.
    ///   - version: The only one that is spoken; nil for all.
    init(folder: String, version: Int? = nil) async throws {
        // Without an origin the addresses it gives are relative, and lead through any proxy.
        let context = HTTPResumableUploadContext(origin: "")
        // All connections on one loop. On several, swift-nio-extras 1.35 may lose a response: it ends what a
        // connection did for an upload of another loop only after the connection's next request has come, takes that
        // request's context away with it, and the client waits for nothing.
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

/// Makes other versions unknown ones.
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

/// Writes what arrives into a file, and responds at its end.
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
