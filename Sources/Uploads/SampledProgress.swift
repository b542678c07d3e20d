package import FerryProtocols

/// The progress of uploads: from samples of the running queue, or else from the bytes that servers confirmed.
package struct SampledProgress: Sendable {
    private let samples: [Upload.ID: ProgressSample]

    /// - Parameter samples: The samples, taken before the uploads were read; empty if the queue does not run. In the
    ///   other sequence, an upload that ended after it was read would seem to run without a sample.
    package init(_ samples: [ProgressSample] = []) {
        self.samples = Dictionary(samples.lazy.map { ($0.id, $0) }) { $1 }
    }

    /// True if the upload runs and has no sample: its attempt ended or began while samples and uploads were read.
    package func lacks(_ upload: Upload) -> Bool {
        guard case .running = upload.state else { return false }
        return samples[upload.id] == nil
    }

    /// Returns the number of bytes of the file that are sent or stored.
    package func of(_ upload: Upload) -> ByteCount {
        guard case .running = upload.state, let sample = samples[upload.id] else {
            return Self.stored(upload)
        }
        return min(upload.size, max(sample.reached, upload.confirmed))
    }

    /// Returns the number of bytes after which an upload will probably resume. If it has a resource, the server stores
    /// the sent bytes, although only its next response states their number.
    private static func stored(_ upload: Upload) -> ByteCount {
        guard upload.resource != nil else { return upload.confirmed }
        return max(upload.confirmed, min(upload.size, upload.tries.sent))
    }

    /// Returns the rate and the remaining time. Both are nil for an upload that does not run.
    package func estimate(of upload: Upload) -> TransferEstimate {
        guard case .running = upload.state, let sample = samples[upload.id] else { return TransferEstimate() }
        return TransferEstimate(rate: sample.rate, remaining: sample.remaining)
    }

    /// Returns the number of bytes that are not sent yet.
    package func left(of upload: Upload) -> ByteCount { max(0, upload.size - of(upload)) }
}

extension ProgressSample {
    /// The number of bytes that are sent or confirmed. Before an attempt sends bytes of the file, only confirmed ones
    /// count, because the server's response decides where the attempt resumes.
    fileprivate var reached: ByteCount { phase.hasBegun ? max(sent, confirmed) : confirmed }
}
