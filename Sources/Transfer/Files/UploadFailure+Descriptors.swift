package import FerryProtocols

extension UploadFailure {
    private static let lack = "too many open files"

    /// Returns the failure for a lack of file descriptors.
    ///
    /// - Parameters:
    ///   - code: `tooManyOpenFiles`, `tooManyOpenFilesInSystem`, or nil if unknown.
    ///   - what: The file or host that needs the descriptor.
    package static func noDescriptor(_ code: Errno? = nil, for what: String? = nil) -> UploadFailure {
        let prefix = what.map { "\($0): " } ?? ""
        guard code != .tooManyOpenFilesInSystem, let limit = DescriptorLimit.current else {
            return UploadFailure(
                .descriptors, prefix + "\(lack) on this machine",
                hint: "Ferry resumes by itself when some are closed")
        }
        return UploadFailure(
            .descriptors, prefix + "\(lack): the limit is \(limit); `ulimit -n` raises it",
            hint: "Ferry resumes by itself when some are closed")
    }

    /// A copy without the file or host that `noDescriptor(_:for:)` named, equal for all uploads that lack a descriptor.
    package var ofEveryUpload: UploadFailure {
        var failure = self
        if let start = summary.firstRange(of: Self.lack)?.lowerBound {
            failure.summary = String(summary[start...])
        }
        return failure
    }
}
