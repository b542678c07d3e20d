package import FerryProtocols

/// The progress of uploads: from the sample of a running upload, or else from the counts in the upload.
package struct SampledProgress: Sendable {
    private let samples: [Upload.ID: ProgressSample]

    /// - Parameter samples: The samples of the running uploads, taken before the uploads are read. Otherwise an upload
    ///   that has ended in between would seem to run without a sample.
    package init(_ samples: [ProgressSample] = []) {
        self.samples = Dictionary(samples.lazy.map { ($0.id, $0) }) { $1 }
    }

    /// Returns the number of bytes that were sent or confirmed, or else that the server has probably stored.
    package func of(_ upload: Upload) -> ByteCount {
        guard case .running = upload.state, let sample = samples[upload.id] else {
            return Self.stored(upload)
        }
        return min(upload.size, max(sample.reached, upload.confirmed))
    }

    /// Returns the number of stored bytes, with all sent bytes if the server keeps the unfinished upload.
    private static func stored(_ upload: Upload) -> ByteCount {
        guard upload.resource != nil else { return upload.confirmed }
        return max(upload.confirmed, min(upload.size, upload.tries.sent))
    }

    /// Returns the rate and the remaining time of the upload. Both are nil if the upload does not run or has no sample.
    package func estimate(of upload: Upload) -> TransferEstimate {
        guard case .running = upload.state, let sample = samples[upload.id] else { return TransferEstimate() }
        return TransferEstimate(rate: sample.rate, remaining: sample.remaining)
    }

    package func left(of upload: Upload) -> ByteCount { max(0, upload.size - of(upload)) }
}

extension ProgressSample {
    fileprivate var reached: ByteCount { phase.hasBegun ? max(sent, confirmed) : confirmed }
}
