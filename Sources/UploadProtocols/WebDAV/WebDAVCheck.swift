import HTTPTypes

/// The check of a WebDAV folder: features by `OPTIONS`, the folder and unfinished uploads by `PROPFIND`.
package struct WebDAVCheck: DestinationCheck {
    private enum Phase: Sendable {
        case options
        case folder(WebDAVServer)
        case contents(CheckReport)
    }

    private let folder: WebDAVAddress
    private let options: ProtocolOptions
    private var phase = Phase.options

    /// - Parameter url: The URL of the destination, which can contain the placeholder `{name}`.
    package init(url: String, options: ProtocolOptions) {
        folder = WebDAVAddress(WebDAVAddress(UploadAddress.address(url, for: "a")).folderURL)
        self.options = options
    }

    package mutating func start() -> CheckStep { .send(Exchange(.options, folder.url)) }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        guard case .responded(let response) = reply else {
            if case .contents(let report) = phase { return .finished(report) }
            return .failed(reply.failure)
        }
        switch phase {
        case .options:
            let failure = WebDAVFailure.failure(response)
            if failure.category == .authentication || failure.isTransient { return .failed(failure) }
            phase = .folder(WebDAVServer(options: response))
            return .send(WebDAVProperties.exchange(folder.url, [.resourcetype, .quota]))
        case .folder(let server): return finish(server, response)
        case .contents(var report):
            report.leftovers = leftovers(in: response)
            return .finished(report)
        }
    }

    private mutating func finish(_ server: WebDAVServer, _ response: ExchangeOutcome.Response) -> CheckStep {
        var server = server
        var findings = [Self.kind(of: server)]
        switch WebDAVFolderFinding(response, at: folder) {
        case .failed(let failure): return .failed(failure)
        case .reported(let found): findings += found
        case .unreported:
            server.takesPropfind = false
            findings.append("it does not take PROPFIND; sizes are asked for by HEAD")
        }
        findings.append(
            server.moves
                ? "a file is sent under another name in its folder, and renamed when it is whole"
                : "it does not offer MOVE; set the destination's protocol to put")
        findings.append(resuming(server))
        if server.isOwnCloud {
            findings.append("it keeps files' times; the protocol nextcloud can resume there")
        }
        findings.append(CheckReport.untried)
        let report = CheckReport(findings: findings, capabilities: server.capabilities)
        guard server.takesPropfind, response.status == 207 else { return .finished(report) }
        phase = .contents(report)
        return .send(
            WebDAVProperties.exchange(
                folder.url, depth: 1, [.resourcetype, .getcontentlength, .getlastmodified]))
    }

    /// Returns the files in the folder, without subfolders, whose names are temporary names of uploads.
    private func leftovers(in response: ExchangeOutcome.Response) -> [CheckReport.Leftover] {
        (WebDAVProperties.list(in: response) ?? []).compactMap { entry in
            guard !entry.isFolder, let name = WebDAVAddress.name(ofTemporary: entry.name) else { return nil }
            return CheckReport.Leftover(
                name: name, changed: entry.modified, size: entry.file.size,
                resource: UploadResource(url: folder.inFolder(entry.name).url))
        }
    }

    private static func kind(of server: WebDAVServer) -> String {
        let classes = server.capabilities.extensions.filter { Int($0) != nil }.sorted()
        return classes.isEmpty
            ? "the server does not say that it speaks WebDAV"
            : "the server speaks WebDAV, \(classes.count == 1 ? "class" : "classes") \(classes.joined(separator: ", "))"
    }

    private func resuming(_ server: WebDAVServer) -> String {
        switch server.ranges {
        case .patch: "an interrupted upload resumes where it was (SabreDAV's partial update)"
        case _ where options.chunkSize != nil:
            "the first file of several chunks shows whether interrupted uploads resume"
        case .put, .refused, nil: "an interrupted upload begins again"
        }
    }
}

/// The result of a request for a folder's properties: texts for the user, no usable properties, or a failure.
enum WebDAVFolderFinding {
    case reported([String])
    case unreported
    case failed(UploadFailure)

    init(_ response: ExchangeOutcome.Response, at folder: WebDAVAddress) {
        switch response.status {
        case 207:
            guard let properties = WebDAVProperties.one(in: response, at: folder) else {
                self = .unreported
                return
            }
            var findings = [
                properties.isFolder ? "the folder is there" : "there is a file where the folder should be"
            ]
            if let free = properties.quotaAvailable, free >= 0 {
                findings.append("\(ByteFormat.sentence(free)) are free there")
            }
            self = .reported(findings)
        case 404, 409, 410: self = .reported(["the folder is not there; it is made with the first file"])
        case 200..<300, 400, 405, 415, 501: self = .unreported
        default: self = .failed(WebDAVFailure.failure(response))
        }
    }
}
