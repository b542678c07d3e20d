import Foundation
import HTTPTypes

/// Asks a Nextcloud about the destination's folder, and about what waits in its user's folder of uploads.
public struct NextcloudCheck: DestinationCheck {
    private enum Phase: Sendable {
        case folder
        case uploads(findings: [String])
    }

    private let url: String
    private let folder: WebDAVAddress
    private let plan: ByteCount?
    private var phase = Phase.folder

    /// - Parameter url: The destination's.
    public init(url: String, options: ProtocolOptions) {
        self.url = url
        plan = options.chunkSize
        folder = WebDAVAddress(WebDAVAddress(UploadAddress.address(url, for: "a")).folderURL)
    }

    public mutating func start() -> CheckStep {
        guard NextcloudAddress(url) != nil else { return .failed(NextcloudUpload.wrongAddress) }
        return .send(WebDAVProperties.exchange(folder.url, [.resourcetype, .quota]))
    }

    public mutating func receive(_ reply: Reply) -> CheckStep {
        let answer: Reply.Answer
        switch reply {
        case .broken(let failure, _): return .failed(failure)
        case .answered(let received): answer = received
        }
        switch phase {
        case .folder:
            guard case .told(let findings) = WebDAVFolderFinding(answer, at: folder),
                let uploads = NextcloudAddress(url)?.uploads
            else { return .failed(WebDAVFailure.failure(answer)) }
            phase = .uploads(findings: findings)
            return .send(WebDAVProperties.exchange(uploads, depth: 1, [.resourcetype]))
        case .uploads(let findings): return finish(findings, answer)
        }
    }

    private func finish(_ findings: [String], _ answer: Reply.Answer) -> CheckStep {
        guard let uploads = NextcloudAddress(url)?.uploads else {
            return .failed(NextcloudUpload.wrongAddress)
        }
        guard answer.status == 207, let all = WebDAVProperties.list(in: answer) else {
            return .finished(
                CheckReport(
                    findings: findings + ["uploads in chunks are not offered there; small files can be sent"])
            )
        }
        let own = WebDAVAddress(uploads).path
        let leftovers: [CheckReport.Leftover] = all.compactMap { entry in
            let name = entry.path.split(separator: "/").last.map(String.init) ?? ""
            guard entry.isFolder, entry.path + "/" != own.removingPercentEncoding ?? own else { return nil }
            var resource = Resource(url: uploads + WebDAVAddress.quoted(name) + "/")
            resource.chunkSize = NextcloudPlan(size: 0, wished: plan).chunkSize
            return CheckReport.Leftover(name: name, resource: resource)
        }
        return .finished(
            CheckReport(
                findings: findings + ["uploads go there in chunks, and an interrupted one goes on"],
                capabilities: ServerCapabilities(), leftovers: leftovers))
    }
}

extension NextcloudUpload {
    static let wrongAddress = UploadFailure(
        .permanent, "the destination's url is no folder of a Nextcloud",
        hint: "it looks like https://HOST/remote.php/dav/files/USER/FOLDER/, with the slash")
}
