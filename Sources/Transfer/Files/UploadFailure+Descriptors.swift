import FerryFiles
package import FerryProtocols

extension UploadFailure {
    private static let lack = "too many open files"

    /// The failure that says that no file or socket can be opened until others are closed.
    ///
    /// - Parameters:
    ///   - code: `tooManyOpenFiles`, `tooManyOpenFilesInSystem`, or nil if it is only known that there is none.
    ///   - what: What it was wanted for; nil for a word on all of them.
    package static func noDescriptor(_ code: Errno? = nil, for what: String? = nil) -> UploadFailure {
        let prefix = what.map { "\($0): " } ?? ""
        guard code != .tooManyOpenFilesInSystem, let limit = DescriptorLimit.current else {
            return UploadFailure(
                .descriptors, prefix + "\(lack) on this machine",
                hint: "Ferry resumes by itself when some are closed")
        }
        return UploadFailure(
            .descriptors, prefix + "\(lack): the limit is \(limit); ulimit -n raises it",
            hint: "Ferry resumes by itself when some are closed")
    }

    /// A lack of descriptors without what one was wanted for: it is the same for all.
    package var ofEveryUpload: UploadFailure {
        var failure = self
        if let start = summary.firstRange(of: Self.lack)?.lowerBound {
            failure.summary = String(summary[start...])
        }
        return failure
    }
}
