import FerryFiles
import HTTPTypes

/// The check of a Nextcloud destination: its folder, and the unfinished uploads in the user's upload folder.
package struct NextcloudCheck: DestinationCheck {
    private enum Phase: Sendable {
        case folder
        case uploads(findings: [String])
        /// Requests the size of the unfinished upload with this index in `CheckReport.leftovers`.
        case sizing(CheckReport, Int)
    }

    /// The maximum number of unfinished uploads whose size is requested, each by one request.
    private static let sizedUploads = 100

    /// The URL of the user's upload folder; nil if the destination is not a folder of a Nextcloud.
    private let uploads: String?
    private let folder: WebDAVAddress
    private let plan: ByteCount?
    private var phase = Phase.folder

    /// - Parameter url: The URL of the destination.
    package init(url: String, options: ProtocolOptions) {
        uploads = NextcloudAddress(url)?.uploads
        plan = options.chunkSize
        folder = WebDAVAddress(WebDAVAddress(UploadAddress.address(url, for: "a")).folderURL)
    }

    package mutating func start() -> CheckStep {
        guard uploads != nil else { return .failed(NextcloudUpload.wrongAddress) }
        return .send(WebDAVProperties.exchange(folder.url, [.resourcetype, .quota]))
    }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        guard case .responded(let response) = reply else {
            if case .sizing(let report, _) = phase { return .finished(report) }
            return .failed(reply.failure)
        }
        switch phase {
        case .folder:
            guard case .reported(let findings) = WebDAVFolderFinding(response, at: folder), let uploads else {
                return .failed(WebDAVFailure.failure(response))
            }
            phase = .uploads(findings: findings)
            return .send(WebDAVProperties.exchange(uploads, depth: 1, [.resourcetype, .getlastmodified]))
        case .uploads(let findings): return finish(findings, response)
        case .sizing(var report, let index):
            report.leftovers[index].size = WebDAVProperties.list(in: response).map(Self.size)
            return askSize(of: index + 1, in: report)
        }
    }

    private mutating func finish(_ findings: [String], _ response: ExchangeOutcome.Response) -> CheckStep {
        guard response.status == 207, let uploads, let all = WebDAVProperties.list(in: response) else {
            return .finished(
                CheckReport(
                    findings: findings + ["uploads in chunks are not offered there; small files can be sent"])
            )
        }
        let own = WebDAVAddress(uploads).path
        let leftovers: [CheckReport.Leftover] = all.compactMap { entry in
            guard entry.isFolder, entry.path + "/" != own.percentDecoded() ?? own else { return nil }
            var resource = UploadResource(url: uploads + WebDAVAddress.quoted(entry.name) + "/")
            resource.nextcloud.chunkSize = NextcloudPlan(size: 0, wished: plan).chunkSize
            return CheckReport.Leftover(name: entry.name, changed: entry.modified, resource: resource)
        }
        let report = CheckReport(
            findings: findings + ["uploads go there in chunks, and an interrupted one resumes"],
            capabilities: ServerCapabilities(), leftovers: leftovers)
        return askSize(of: 0, in: report)
    }

    private mutating func askSize(of index: Int, in report: CheckReport) -> CheckStep {
        guard index < min(report.leftovers.count, Self.sizedUploads) else { return .finished(report) }
        phase = .sizing(report, index)
        let folder = report.leftovers[index].resource.url
        return .send(WebDAVProperties.exchange(folder, depth: 1, [.getcontentlength]))
    }

    /// Returns the total size of the chunks, whose names are numbers, without the entry `.file` for all of them.
    private static func size(_ entries: [WebDAVProperties]) -> ByteCount {
        entries.reduce(0) { sum, entry in
            guard Int(entry.name) != nil, let size = entry.file.size, size >= 0 else { return sum }
            return .sum(sum, size)
        }
    }
}

extension NextcloudUpload {
    static let wrongAddress = UploadFailure(
        .permanent, "the destination's url is not a folder of a Nextcloud",
        hint: "it looks like https://HOST/remote.php/dav/files/USER/FOLDER/, with the slash")
}
