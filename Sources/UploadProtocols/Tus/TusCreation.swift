import HTTPTypes

/// The requests that create an upload on a tus server (tus 1.0.0, Creation and Concatenation).
struct TusCreation: Sendable {
    enum Kind: Sendable {
        /// One upload for the whole file. The request states the file's size.
        case whole
        /// One upload for the whole file, whose bytes the request contains (Creation With Upload).
        case withContent
        /// One upload for the whole file. Its length is sent together with the first bytes of the file.
        case deferred
        case partial(ByteCount)
        /// The upload that joins the partial uploads at these URLs, in order.
        case final([String])
    }

    let item: UploadItem

    /// Returns the request. Throws a failure (`permanent`) if names of parameters cannot be keys of tus metadata.
    func exchange(_ kind: Kind) throws(UploadFailure) -> Exchange {
        var exchange = Exchange(
            .post, item.url, fields: [.tusResumable: TusVerdict.version], traits: .idempotent)
        switch kind {
        case .whole:
            exchange.fields[.uploadLength] = "\(item.size)"
            exchange.fields[.uploadMetadata] = try metadata()
            exchange.set(.completes, if: item.size == 0)
        case .withContent:
            exchange.fields[.uploadLength] = "\(item.size)"
            exchange.fields[.uploadMetadata] = try metadata()
            exchange.fields[.contentType] = TusAppending.contentType
            exchange.body = .file(range: 0..<item.size)
            // A second request would create a second file.
            exchange.traits = .completes
            var mark = UploadResource(url: UploadAddress.withoutQuery(item.url)).withWholeBodySent(true)
            mark.tus.isUnnamed = true
            exchange.markBeforeLastBytes = mark
        case .deferred:
            exchange.fields[.uploadDeferLength] = "1"
            exchange.fields[.uploadMetadata] = try metadata()
        case .partial(let length):
            exchange.fields[.uploadLength] = "\(length)"
            exchange.fields[.uploadConcat] = "partial"
        case .final(let urls):
            exchange.fields[.uploadConcat] = "final;" + urls.joined(separator: " ")
            exchange.fields[.uploadMetadata] = try metadata()
            exchange.traits.insert(.completes)
            exchange.traits.remove(.idempotent)
        }
        return exchange
    }

    /// Returns the upload's URL. Throws a failure (`permanent`) if it is missing, invalid or on another server.
    func url(in response: ExchangeOutcome.Response) throws(UploadFailure) -> String {
        guard let location = response.fields[.location] else {
            throw UploadFailure(
                .permanent, "the server made the upload and did not say where",
                hint: "check that the destination's url is a tus endpoint: its response has no Location")
        }
        return try UploadAddress.resolve(location, against: item.url)
    }

    private func metadata() throws(UploadFailure) -> String? {
        // Without `filename` and `filetype`, some servers refuse a later HEAD (seen with tuspyserver 4.4.3). As Uppy
        // does, a name with folders is sent as `relativePath` too.
        let name = FileName.last(item.name)
        var entries = [TusMetadata.Entry("filename", name), .init("filetype", item.contentType)]
        if name != item.name { entries.insert(.init("relativePath", item.name), at: 1) }
        let own = Set(entries.map(\.key))
        let given = item.parameters.filter { !own.contains($0.name) }
        guard let metadata = TusMetadata(entries + given.map { .init($0.name, $0.value) }) else {
            throw UploadFailure(
                .permanent,
                "a field's name cannot be tus metadata: \(given.map(\.name).joined(separator: ", "))",
                hint: "names must differ and hold neither spaces nor commas")
        }
        return metadata.header
    }
}
