import FerryFiles
package import FerryProtocols

extension UploadFailure {
    private static let lack = "too many open files"

    /// Returns the failure for a lack of file descriptors: no file or socket can be opened until others are closed.
    ///
    /// - Parameters:
    ///   - code: `tooManyOpenFiles`, `tooManyOpenFilesInSystem`, or nil if the code is unknown.
    ///   - what: The file or host that needs the descriptor; nil to name none.
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

    /// A copy of this failure. If `noDescriptor(_:for:)` made the failure, the copy's summary names no file or host. So
    /// the copies are equal for all uploads that lack a descriptor.
    package var ofEveryUpload: UploadFailure {
        var failure = self
        if let start = summary.firstRange(of: Self.lack)?.lowerBound {
            failure.summary = String(summary[start...])
        }
        return failure
    }
}
