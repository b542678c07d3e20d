package import Foundation

/// An HTTPS server on 127.0.0.1 that stores the bodies of PUT requests. Its certificate and the authority that signed
/// it are made for it.
package final class TLSServer: Sendable {
    /// A needed program is missing or failed.
    package struct NotStarted: Error {
        package let reason: String
    }

    package let directory: TemporaryDirectory
    package let port: Int
    private let identifier: pid_t

    package static var isAvailable: Bool { program("openssl") != nil && program("python3") != nil }

    /// The PEM file of the authority that signed the certificate.
    package var authority: String { directory.path("authority.pem") }

    /// Returns the body of the PUT request with this name.
    package func received(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: directory.path(name)).map(Array.init)
    }

    /// The pin of the server's key, as openssl computes it.
    package var pin: String {
        get throws { try String(contentsOfFile: directory.path("server.pin"), encoding: .utf8) }
    }

    /// The SHA-256 of the server's certificate, as openssl prints it.
    package var fingerprint: String {
        get throws {
            let text = try String(contentsOfFile: directory.path("server.fingerprint"), encoding: .utf8)
            return text.split(separator: "=").last?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        }
    }

    /// True if bytes arrived after a TLS handshake.
    package var wasAsked: Bool { FileManager.default.fileExists(atPath: directory.path("asked")) }

    /// The TLS settings of the server.
    package struct Demands: Sendable {
        /// The newest version of TLS that the server offers, with Python's name for it.
        package var newest = "TLSv1_3"
        package var certificate = false
        /// The cipher suites of TLS 1.2, with OpenSSL's names; nil for the default.
        package var ciphers: String?
        /// The number of body bytes after which the server reads the TLS stream wrongly and sends an alert; nil for
        /// never.
        package var alertAfter: Int?

        package init(
            newest: String = "TLSv1_3", certificate: Bool = false, ciphers: String? = nil,
            alertAfter: Int? = nil
        ) {
            self.newest = newest
            self.certificate = certificate
            self.ciphers = ciphers
            self.alertAfter = alertAfter
        }
    }

    /// The defect of a server's certificate.
    package enum Defect: String, Sendable, CaseIterable {
        case none, expired, notYetValid, selfSigned
    }

    private init(names: String, demands: Demands, defect: Defect) throws {
        directory = try TemporaryDirectory()
        try Self.makeCertificates(names: names, defect, in: directory)
        try directory.write(Array(Self.script.utf8), to: "server.py")
        let process = Process()
        process.executableURL = Self.program("python3")
        process.currentDirectoryURL = directory.url
        process.arguments = [
            "server.py", demands.newest, demands.certificate ? "certificate" : "none",
            "\(demands.alertAfter ?? -1)", demands.ciphers ?? "",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while !line.contains(0x0A) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw NotStarted(reason: "the server ended") }
            line += more
        }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let port = Int(text) else { throw NotStarted(reason: text) }
        self.port = port
        identifier = process.processIdentifier
    }

    deinit {
        // The child inherits the signals that our thread blocks, so only SIGKILL is certain to end it.
        kill(identifier, SIGKILL)
    }

    /// Starts a server. It uses a thread of its own, because waiting for programs would block one of the few threads of
    /// tasks.
    ///
    /// - Parameter names: The names in the certificate, as openssl writes them: `IP:127.0.0.1`.
    package static func start(
        names: String, demands: Demands = Demands(), defect: Defect = .none
    ) async throws -> TLSServer {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try TLSServer(names: names, demands: demands, defect: defect) })
            }
        }
    }

    private static func makeCertificates(
        names: String, _ defect: Defect, in directory: TemporaryDirectory
    ) throws {
        try directory.write(Array("subjectAltName=\(names)\n".utf8), to: "names.txt")
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try openssl(
            ["req", "-x509", "-subj", "/CN=Test authority", "-days", "2", "-out", "authority.pem"] + key
                + ["-keyout", "authority.key"], in: directory)
        try openssl(
            ["req", "-subj", "/CN=Test server", "-out", "server.csr"] + key + ["-keyout", "server.key"],
            in: directory)
        try sign(defect, in: directory)
        try openssl(
            ["x509", "-in", "server.pem", "-noout", "-fingerprint", "-sha256", "-out", "server.fingerprint"],
            in: directory)
        try openssl(["x509", "-in", "server.pem", "-pubkey", "-noout", "-out", "server.pub"], in: directory)
        try openssl(
            ["pkey", "-pubin", "-in", "server.pub", "-outform", "DER", "-out", "server.spki"], in: directory)
        try openssl(["dgst", "-sha256", "-binary", "-out", "server.digest", "server.spki"], in: directory)
        let digest = FileManager.default.contents(atPath: directory.path("server.digest")) ?? Data()
        try directory.write(Array("sha256//\(digest.base64EncodedString())".utf8), to: "server.pin")
    }

    private static func sign(_ defect: Defect, in directory: TemporaryDirectory) throws {
        if defect == .selfSigned {
            return try openssl(
                ["x509", "-req", "-in", "server.csr", "-signkey", "server.key", "-days", "2"]
                    + ["-extfile", "names.txt", "-out", "server.pem"], in: directory)
        }
        // `openssl ca` is the only command that sets both dates of a certificate.
        let times =
            switch defect {
            case .expired: ("20200101000000Z", "20210101000000Z")
            case .notYetValid: ("20480101000000Z", "20490101000000Z")
            case .none, .selfSigned: ("20200101000000Z", "20490101000000Z")
            }
        let settings = """
            [ca]
            default_ca = here
            [here]
            database = index.txt
            serial = serial
            new_certs_dir = .
            default_md = sha256
            policy = any
            [any]
            commonName = supplied

            """
        try directory.write(Array(settings.utf8), to: "ca.cnf")
        try directory.write([], to: "index.txt")
        try openssl(
            ["ca", "-batch", "-config", "ca.cnf", "-cert", "authority.pem", "-keyfile", "authority.key"]
                + ["-rand_serial", "-startdate", times.0, "-enddate", times.1, "-notext"]
                + ["-extfile", "names.txt", "-in", "server.csr", "-out", "server.pem"], in: directory)
    }

    private static func openssl(_ arguments: [String], in directory: TemporaryDirectory) throws {
        let process = Process()
        process.executableURL = program("openssl")
        process.currentDirectoryURL = directory.url
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw NotStarted(reason: "openssl \(arguments.joined(separator: " "))")
        }
    }

    package static func program(_ name: String) -> URL? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin") + ":/usr/sbin"
        return path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) }
    }

    private static let script = """
        import http.server, os, ssl, sys

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self):
                try:
                    if self.rfile.peek(1):
                        open("asked", "w").close()
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def do_PUT(self):
                length = int(self.headers["Content-Length"])
                with open(self.path.strip("/"), "wb") as file:
                    while length > 0:
                        data = self.rfile.read(min(length, 1 << 16))
                        if not data:
                            return
                        file.write(data)
                        length -= len(data)
                        if 0 <= int(sys.argv[3]) < file.tell():
                            os.read(self.connection.fileno(), 64)
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("server.pem", "server.key")
        context.maximum_version = ssl.TLSVersion[sys.argv[1]]
        if sys.argv[4]:
            context.set_ciphers(sys.argv[4])
        if sys.argv[2] == "certificate":
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations("authority.pem")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print(server.server_port, flush=True)
        server.serve_forever()

        """
}
