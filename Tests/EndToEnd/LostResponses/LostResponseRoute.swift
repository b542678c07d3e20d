import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// A combination of a server and a protocol, and the outcome there after a lost response.
enum LostResponseRoute: String, CaseIterable, CustomTestStringConvertible {
    case tusReceiver, tuspyserver, resumableReceiver, resumableNIO
    case s3WholeMoto, s3PartsMoto, s3PartsSwift, s3PartsRclone
    case putReceiver, putNginx
    case webdavNginx, webdavApache, webdavLighttpd, webdavRclone
    case nextcloud, google, graph, azureWhole, azureBlocks

    /// The outcome of the upload.
    enum Outcome {
        /// The upload is done, and no byte of the file was sent again.
        case found
        /// The upload is done. The same bytes were sent to the same URL again, which is harmless there.
        case repeated
        /// The upload is held for a decision of the user. The server cannot be asked, and sending again might create a
        /// second file.
        case held
    }

    var testDescription: String { rawValue }

    var protocolName: String {
        switch self {
        case .tusReceiver, .tuspyserver: "tus"
        case .resumableReceiver, .resumableNIO: "resumable"
        case .s3WholeMoto, .s3PartsMoto, .s3PartsSwift, .s3PartsRclone: "s3"
        case .putReceiver, .putNginx: "put"
        case .webdavNginx, .webdavApache, .webdavLighttpd, .webdavRclone: "webdav"
        case .nextcloud: "nextcloud"
        case .google: "google"
        case .graph: "graph"
        case .azureWhole, .azureBlocks: "azure"
        }
    }

    var size: Int {
        switch self {
        case .s3PartsMoto, .s3PartsSwift, .s3PartsRclone, .nextcloud: 11 << 20
        // A smaller file would be sent with the creation.
        case .tusReceiver, .tuspyserver: 3 << 20
        default: 300_000
        }
    }

    /// Further members of the destination.
    var more: String {
        switch self {
        case .s3WholeMoto: S3Site.keys
        case .s3PartsMoto, .s3PartsSwift: S3Site.keys + #", "chunkSize": "5M""#
        case .s3PartsRclone: RcloneS3.more
        case .nextcloud: #", "chunkSize": "5M""#
        case .graph: #", "auth": { "bearer": "token" }, "ifExists": "replace""#
        case .azureBlocks: #", "chunkSize": "128K""#
        default: ""
        }
    }

    /// The path of the destination's URL.
    var path: String {
        switch self {
        case .tusReceiver, .tuspyserver: "/files/"
        case .resumableNIO: "/in/{name}"
        case .s3WholeMoto, .s3PartsMoto, .s3PartsSwift: "/\(bucket)/"
        case .s3PartsRclone: RcloneS3.path
        case .nextcloud: "/remote.php/dav/files/ann/"
        case .google: "/upload/storage/v1/b/bkt/o?uploadType=resumable"
        case .graph: "/v1.0/me/drive/root:/in/{name}:/createUploadSession"
        case .azureWhole, .azureBlocks: "/container/in/?sv=2021-12-02&sig=secret"
        default: "/"
        }
    }

    var bucket: String { "lost-" + rawValue.lowercased() }

    /// Returns true for the request whose response ends the upload.
    func isLast(_ request: ProxiedRequest) -> Bool {
        switch self {
        case .s3PartsMoto, .s3PartsSwift, .s3PartsRclone:
            request.method == "POST" && request.target.contains("uploadId=")
        case .webdavNginx, .webdavApache, .webdavLighttpd, .webdavRclone, .nextcloud: request.method == "MOVE"
        case .azureBlocks: request.target.contains("comp=blocklist") && request.method == "PUT"
        default: request.bodyBytes == size
        }
    }

    var outcome: Outcome {
        switch self {
        // nginx reports a size but no digest, so the file could be an older one.
        case .putNginx: .repeated
        // rclone 1.75.2 reports the MD5 of the whole object, which is not the entity tag of the parts.
        case .s3PartsRclone: .repeated
        // One request is sent, which can be repeated unless an existing file must not be replaced.
        case .s3WholeMoto, .azureWhole: .repeated
        // The server forgets an upload as soon as it is complete.
        case .resumableNIO: .held
        default: .found
        }
    }

    /// The reason why the server cannot be started on this machine; nil if it can.
    var missing: String? {
        switch self {
        case .tusReceiver, .resumableReceiver, .resumableNIO, .putReceiver: nil
        case .s3PartsSwift: S3Site.isHere ? nil : "memcached and Python's packages"
        case .putNginx: Privilege.has("nginx") ? nil : "nginx"
        case .webdavNginx, .webdavApache, .webdavLighttpd, .webdavRclone:
            WebDAVServerKind.arePresent ? nil : "nginx, apache2, lighttpd and rclone"
        default: InteropServer.hasPython ? nil : "Python's packages"
        }
    }

    /// The routes whose servers can be started on this machine.
    static var possible: [LostResponseRoute] { allCases.filter { $0.missing == nil } }

    typealias IsStored = @Sendable (UploadLine, _ file: String) async throws -> Bool

    /// Starts the server with `folder` for its files.
    /// - Parameter body: Receives the server's port, and a function that returns whether the server has the file.
    func with(
        _ folder: String, _ body: @escaping @Sendable (Int, @escaping IsStored) async throws -> Void
    ) async throws {
        switch self {
        case .tusReceiver, .resumableReceiver, .putReceiver:
            try await ReceiverSite.with { site in
                let port = try #require(URL(string: site.url)?.port)
                try await body(port) { line, file in
                    try site.names() == [line.name]
                        && site.content(line.name) == FileManager.default.contents(atPath: file)
                }
            }
        case .resumableNIO:
            let server = try await NIOResumableServer(folder: folder)
            try await body(server.port) { line, file in Self.same(file, folder + "/" + line.name) }
            try await server.stop()
        case .s3PartsSwift:
            let site = try await S3Site(bucket)
            try await body(site.server.port) { line, file in try await site.holds(line.name, sameAs: file) }
        case .s3WholeMoto, .s3PartsMoto:
            let server = try await InteropServer("moto_server.py", folder: folder)
            let site = try await S3Site(bucket, at: server)
            try await body(server.port) { line, file in try await site.holds(line.name, sameAs: file) }
            try await server.stop()
        default:
            let server = try await start(in: folder)
            try await body(server.port) { [self] line, file in
                Self.same(file, folder + "/" + place(of: line))
            }
            try await server.stop()
        }
    }

    private func start(in folder: String) async throws -> InteropServer {
        switch self {
        case .tuspyserver: try await InteropServer("tus_server.py", folder: folder)
        case .webdavNginx: try await WebDAVServerKind.nginx.start(in: folder)
        case .webdavApache: try await WebDAVServerKind.apache.start(in: folder)
        case .webdavLighttpd: try await WebDAVServerKind.lighttpd.start(in: folder)
        case .webdavRclone: try await WebDAVServerKind.rclone.start(in: folder)
        case .s3PartsRclone: try await RcloneS3.start(in: folder)
        case .nextcloud: try await InteropServer("nextcloud_server.py", folder: folder)
        case .google: try await InteropServer("google_storage.py", folder: folder)
        case .graph: try await InteropServer("graph_server.py", folder: folder)
        case .azureWhole, .azureBlocks: try await InteropServer("azure_server.py", folder: folder)
        default:
            try await InteropServer("nginx_put.sh", port: try InteropServer.freePort(), folder: folder)
        }
    }

    /// Returns the path of the file in the server's folder.
    private func place(of line: UploadLine) -> String {
        switch self {
        case .tuspyserver: line.location?.split(separator: "/").last.map(String.init) ?? "nowhere"
        case .s3PartsRclone: "files\(RcloneS3.path)\(line.name)"
        case .google: ".cloudstorage/bkt/" + line.name
        case .graph: "files/in/" + line.name
        case .azureWhole, .azureBlocks: "blobs/in/" + line.name
        default: "files/" + line.name
        }
    }

    private static func same(_ first: String, _ second: String) -> Bool {
        FileManager.default.contentsEqual(atPath: first, andPath: second)
    }
}
