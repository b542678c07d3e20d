package import FerryProtocols

extension BodyStream {
    /// Returns the stream with checks. Reading it fails if it has more or fewer bytes than `length`, or contains
    /// `boundary`. Failures contain `label`, the name of the form part; nil outside of a form.
    package func checked(for boundary: BoundaryCheck? = nil, label: String? = nil) -> BodyStream {
        BodyStream(
            length: length, isLeft: { canBegin },
            begin: {
                do {
                    return CheckedChunks(
                        base: try await open(), length: length, boundary: boundary, label: label)
                } catch {
                    throw CheckedChunks.named(error, label)
                }
            })
    }
}

/// The chunks of a stream with the checks for values that are not nil.
private struct CheckedChunks: AsyncSequence {
    typealias Element = [UInt8]

    let base: BodyStream.Chunks
    let length: ByteCount?
    let boundary: BoundaryCheck?
    let label: String?

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), length: length, boundary: boundary, label: label)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: any AsyncIteratorProtocol<[UInt8], any Error>
        let length: ByteCount?
        var boundary: BoundaryCheck?
        let label: String?
        var count: ByteCount = 0

        mutating func next() async throws -> [UInt8]? {
            let chunk: [UInt8]?
            do { chunk = try await base.next() } catch { throw named(error, label) }
            guard let chunk else {
                if let length, count < length {
                    throw failure("the stream ended after \(count) bytes, it declared \(length)")
                }
                return nil
            }
            count += ByteCount(chunk.count)
            if let length, count > length {
                throw failure("the stream brought \(count) bytes or more, it declared \(length)")
            }
            if boundary?.finds(in: chunk) == true { throw UploadFailure.holdsBoundary.inPart(label) }
            return chunk
        }

        private func failure(_ summary: String) -> UploadFailure {
            UploadFailure(
                .permanent, summary, hint: "declare the exact length, or none if it is not known"
            )
            .inPart(label)
        }
    }

    /// Returns the error for a failed read: an `UploadFailure` with the label (`sourceUnreadable` for a foreign error),
    /// or the `CancellationError` of this task.
    static func named(_ error: any Error, _ label: String?) -> any Error {
        switch error {
        case is CancellationError where Task.isCancelled: error
        case let failure as UploadFailure: failure.inPart(label)
        default: UploadFailure(.sourceUnreadable, "the stream failed: \(error)").inPart(label)
        }
    }
}

extension UploadFailure {
    package static let holdsBoundary = UploadFailure(
        .permanent, "its content holds the form's boundary",
        hint: "choose another boundary, or none: one is made up")

    /// Returns the failure with the name of a form part before its summary.
    package func inPart(_ label: String?) -> UploadFailure {
        guard let label else { return self }
        var failure = self
        failure.summary = "\(label): \(summary)"
        return failure
    }
}
