package import FerryProtocols

/// The progress of uploads, from samples of the running queue. Without a sample, the progress is computed from the
/// upload itself.
package struct SampledProgress: Sendable {
    private let samples: [Upload.ID: ProgressSample]

    /// - Parameter samples: The samples; empty if the queue does not run. Take the samples before you read the uploads.
    ///   Otherwise an upload that ends in between seems to run without a sample.
    package init(_ samples: [ProgressSample] = []) {
        self.samples = Dictionary(samples.lazy.map { ($0.id, $0) }) { $1 }
    }

    /// True if the upload runs and has no sample. Its attempt began after the samples were taken, or ended before.
    package func lacks(_ upload: Upload) -> Bool {
        guard case .running = upload.state else { return false }
        return samples[upload.id] == nil
    }

    /// Returns the number of bytes of the file that were sent or that the server has stored.
    package func of(_ upload: Upload) -> ByteCount {
        guard case .running = upload.state, let sample = samples[upload.id] else {
            return Self.stored(upload)
        }
        return min(upload.size, max(sample.reached, upload.confirmed))
    }

    /// Returns the number of bytes of the file after which the upload will probably resume. Without an upload resource
    /// on the server, these are the confirmed bytes. With one, the sent bytes count too: the server has probably stored
    /// them, although it has not confirmed them yet.
    private static func stored(_ upload: Upload) -> ByteCount {
        guard upload.resource != nil else { return upload.confirmed }
        return max(upload.confirmed, min(upload.size, upload.tries.sent))
    }

    /// Returns the rate and the remaining time. Both are nil for an upload that does not run or has no sample.
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
