package import FerryProtocols

/// The progress of uploads, by the samples of the queue that runs them and, where there is none, by what servers
/// confirmed.
package struct SampledProgress: Sendable {
    private let samples: [Upload.ID: ProgressSample]

    /// - Parameter samples: Taken after the uploads that are asked for; none for a queue that nobody runs.
    package init(_ samples: [ProgressSample] = []) {
        self.samples = Dictionary(samples.lazy.map { ($0.id, $0) }) { $1 }
    }

    /// Bytes of the file that are on their way or there. What an attempt that ended had sent counts no more.
    package func of(_ upload: Upload) -> ByteCount {
        guard case .running = upload.state, let sample = samples[upload.id] else { return upload.confirmed }
        return min(upload.size, sample.reached)
    }

    /// Returns the rate and the remaining time; empty for an upload that does not run.
    package func estimate(of upload: Upload) -> TransferEstimate {
        guard case .running = upload.state, let sample = samples[upload.id] else { return TransferEstimate() }
        return TransferEstimate(rate: sample.rate, remaining: sample.remaining)
    }

    /// Returns the number of bytes that are not sent yet.
    package func left(of upload: Upload) -> ByteCount { max(0, upload.size - of(upload)) }
}

extension ProgressSample {
    /// The position that is certainly reached: before the first byte of an attempt, only the server's answer tells
    /// where it resumes.
    fileprivate var reached: ByteCount { phase.hasBegun ? max(sent, confirmed) : confirmed }
}
