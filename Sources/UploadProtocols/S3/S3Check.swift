import FerryFiles
import HTTPTypes

/// A check that reads a bucket and finds its unfinished uploads. It changes nothing on the server.
package struct S3Check: DestinationCheck {
    private enum Phase {
        case listing
        case searching
        /// Requests the sizes of the stored parts of the unfinished upload at this index of `report.leftovers`.
        case sizing(Int)
    }

    /// The maximum number of uploads whose size is requested. Each upload costs at least one request.
    private static let sizedUploads = 100

    /// The maximum number of requested pages of the list of unfinished uploads, with up to 1,000 uploads each.
    private static let pageLimit = 20

    /// The number of requested pages after which the size of an upload with more than one page of parts stays unknown.
    private static let requestLimit = 120

    private let setup: Result<S3Address, UploadFailure>
    private let options: ProtocolOptions
    private var phase = Phase.listing
    private var report = CheckReport()
    private var pages = 0

    /// - Parameter url: The URL of the destination. It can contain the placeholder `{name}` for a file's name.
    package init(url: String, options: ProtocolOptions) {
        setup = Result { () throws(UploadFailure) in try S3Address(url, options: options.s3) }
        self.options = options
    }

    package mutating func start() -> CheckStep { ask(["list-type": "2", "max-keys": "1"]) }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        switch (phase, reply) {
        case (.sizing(let index), .broken): finishedWithoutSize(of: index)
        case (_, .broken(let failure, _)): .failed(failure)
        case (.listing, .responded(let response)): receiveList(response)
        case (.searching, .responded(let response)): receiveUploads(response)
        case (.sizing(let index), .responded(let response)): receiveParts(response, of: index)
        }
    }

    /// Returns the step that sends a query to the bucket, limited to the destination's prefix.
    private func ask(_ query: KeyValuePairs<String, String>) -> CheckStep {
        switch setup {
        case .failure(let failure): return .failed(failure)
        case .success(let address):
            let pairs = S3Address.query(query) + "&prefix=" + address.prefix.percentEncoded()
            return .send(
                Exchange(.get, address.bucketAddress + "/" + pairs, fields: options.s3.commonFields()))
        }
    }

    private mutating func receiveList(_ response: ExchangeOutcome.Response) -> CheckStep {
        guard case .success(let address) = setup else { return .finished(report) }
        let bucket = ServerText.cleaned(address.bucket)
        if response.isSuccess {
            guard let root = XMLDocument.parse(response.body), root.name != "Error" else {
                return .failed(
                    .permanent, "what answers there is not an S3 server",
                    hint: "check the destination's url and protocol")
            }
            let region = response.fields[.named("x-amz-bucket-region")].map {
                ", in the region \(ServerText.cleaned($0))"
            }
            report.findings.append("the bucket \(bucket) is there and can be read\(region ?? "")")
        } else {
            let error = S3Error(response)
            guard error.code == "AccessDenied" || error.code.isEmpty && response.status == 403 else {
                return .failed(error.failure)
            }
            report.findings.append(
                "the bucket \(bucket) cannot be read with these credentials (s3:ListBucket); uploads may still work, "
                    + "ifExists cannot")
        }
        describe(address)
        phase = .searching
        return ask(["uploads": "", "max-uploads": "1000"])
    }

    private mutating func describe(_ address: S3Address) {
        let part = max(S3PartPlan.smallestPart, options.chunkSize ?? S3PartPlan.usualPart)
        let parallel = options.parallelRequests ?? S3Upload.usualParallelRequests
        report.findings.append(
            "a file of up to \(ByteFormat.sentence(part)) is one request, a larger one goes in parts of that size, "
                + "\(parallel) at once")
        report.findings.append(
            options.checksum.map { "the server is asked to confirm the \($0.shown) of what arrives" }
                ?? "the server is not asked to confirm what arrives (no checksum is set)")
        if !address.isEncrypted {
            report.findings.append("the link is not encrypted, the contents are signed")
        }
    }

    private mutating func receiveUploads(_ response: ExchangeOutcome.Response) -> CheckStep {
        guard case .success(let address) = setup else { return .finished(report) }
        guard response.isSuccess, let page = S3UploadPage(response.body) else {
            let error = S3Error(response)
            if error.isTransient { return .failed(error.failure) }
            report.findings.append(
                "unfinished uploads cannot be listed (\(error.code.isEmpty ? "\(response.status)" : error.code))"
            )
            return .finished(report)
        }
        report.leftovers += page.uploads.filter { $0.key.hasPrefix(address.prefix) }.map {
            Self.leftover($0, at: address)
        }
        pages += 1
        if let next = page.next, pages < Self.pageLimit {
            return ask([
                "uploads": "", "max-uploads": "1000", "key-marker": next.key,
                "upload-id-marker": next.uploadID,
            ])
        }
        let count = report.leftovers.count
        let more = page.next == nil ? "" : "more than "
        report.findings.append(
            count == 0
                ? "no unfinished uploads are there"
                : "\(more)\(count) unfinished \(count == 1 ? "upload is" : "uploads are") there")
        return askSize(of: 0, after: nil)
    }

    /// Requests one page of the stored parts of the unfinished upload at `index`, or finishes the check after the last.
    private mutating func askSize(of index: Int, after marker: Int?) -> CheckStep {
        guard index < min(report.leftovers.count, Self.sizedUploads) else { return .finished(report) }
        phase = .sizing(index)
        let page = marker.map { "&part-number-marker=\($0)" } ?? ""
        return .send(
            Exchange(.get, report.leftovers[index].resource.url + page, fields: options.s3.commonFields()))
    }

    private mutating func receiveParts(_ response: ExchangeOutcome.Response, of index: Int) -> CheckStep {
        // The upload was completed or aborted after the list was made.
        if response.status == 404 {
            report.leftovers[index].size = nil
            return askSize(of: index + 1, after: nil)
        }
        guard response.isSuccess, let page = S3PartPage(response.body, digest: nil) else {
            return finishedWithoutSize(of: index)
        }
        let sizes = page.parts.map(\.size).filter { $0 >= 0 }
        report.leftovers[index].size = sizes.reduce(report.leftovers[index].size ?? 0, ByteCount.sum)
        pages += 1
        if let next = page.next, !page.parts.isEmpty {
            if pages < Self.requestLimit { return askSize(of: index, after: next) }
            report.leftovers[index].size = nil
        }
        return askSize(of: index + 1, after: nil)
    }

    /// Ends the check. The list of the upload's parts is incomplete, so its size stays unknown.
    private mutating func finishedWithoutSize(of index: Int) -> CheckStep {
        report.leftovers[index].size = nil
        return .finished(report)
    }

    private static func leftover(_ entry: S3UploadPage.Entry, at address: S3Address) -> CheckReport.Leftover {
        var resource = UploadResource(
            url: address.object(entry.key) + S3Address.query(["uploadId": entry.uploadID]))
        resource[S3Memory.self].uploadID = entry.uploadID
        return CheckReport.Leftover(
            name: String(entry.key.dropFirst(address.prefix.count)), begun: entry.begun, resource: resource)
    }
}
