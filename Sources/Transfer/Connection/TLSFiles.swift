package import FerryProtocols

/// The contents of the PEM files that TLS settings name.
package struct TLSFiles: Sendable {
    /// The maximum size of a file. A bundle of all public authorities has less than 1 MiB.
    static let fileLimit: ByteCount = 16 << 20

    private var contents: [String: [UInt8]] = [:]

    /// Reads the files, which blocks the thread as long as their disks do.
    /// - Throws: `UploadFailure` (`permanent`) that names a file that cannot be read.
    init(of settings: TLSSettings) throws(UploadFailure) {
        for file in settings.files { contents[file] = try Self.read(file, checks: settings.checksFiles) }
    }

    /// Reads the files on threads of a pool, whose timeout applies to each file.
    /// - Throws: `UploadFailure` that names the file: `permanent` if it cannot be read, `sourceAway` after the timeout.
    package init(
        of settings: TLSSettings, by reads: FileReads<[UInt8], UploadFailure>
    ) async throws(UploadFailure) {
        let checks = settings.checksFiles
        for file in settings.files {
            // A read that checks the file and one that does not are different reads.
            contents[file] = try await reads.value(
                of: checks ? file : "unchecked \(file)", late: { Self.late(file, after: $0) },
                { () throws(UploadFailure) in try Self.read(file, checks: checks) })
        }
    }

    /// Returns the value that `body` makes of the content of a file.
    func parse<Value>(_ file: String, _ body: ([UInt8]) throws -> Value) throws(UploadFailure) -> Value {
        // NIOSSL (2.37.2) traps on a key without bytes.
        guard let content = contents[file], !content.isEmpty else {
            throw Self.unusable(file, "it is empty")
        }
        do { return try body(content) } catch { throw Self.unusable(file, "\(error)") }
    }

    /// - Parameter checks: True to refuse a file that another user can replace, change or create.
    private static func read(_ file: String, checks: Bool) throws(UploadFailure) -> [UInt8] {
        let path = LocalPath(file)
        if checks {
            do throws(PathIssue) { try PathTrust.check(path) } catch {
                throw UploadFailure(.permanent, error.summary(of: "the TLS file"), hint: error.hint)
            }
        }
        let content: [UInt8]?
        do throws(SystemCallError) {
            let isSmall = try FileStatus(path, follows: true).identity.size <= fileLimit
            content = try isSmall ? path.readContent(upTo: Int(fileLimit) + 1, waitsForWriter: false) : nil
        } catch {
            guard !DescriptorLimit.isLack(error.code) else { throw .noDescriptor(error.code, for: file) }
            throw UploadFailure(
                .permanent, "the TLS file \(file) cannot be read: \(error.code.phrase)",
                hint: "put a PEM file there, or name another one in tls")
        }
        // A pipe has no size before it is read.
        guard let content, ByteCount(content.count) <= fileLimit else {
            throw UploadFailure(
                .permanent, "the TLS file \(file) has more than 16 MiB",
                hint: "name a PEM file in tls with only the certificates that are needed")
        }
        return content
    }

    private static func unusable(_ file: String, _ reason: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the TLS file \(file) cannot be used: \(reason)",
            hint: "name a readable PEM file in tls")
    }

    private static func late(_ file: String, after timeout: Duration) -> UploadFailure {
        UploadFailure(
            .sourceAway,
            "the TLS file \(file) cannot be read: its disk or network share has not answered for \(timeout.inSeconds)",
            hint: "see whether it answers, or name another PEM file in tls; Ferry retries by itself")
    }
}
