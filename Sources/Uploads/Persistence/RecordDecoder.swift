import Dispatch
import FerryProtocols
import Synchronization

/// A decoder of upload records on all cores: users would wait long for a million records on one.
final class RecordDecoder {
    private struct Decoded: Sendable {
        /// The uploads in reverse sequence. So `popLast` moves each of them out, which is faster than copying.
        var uploads: [Upload] = []
        var unknown: [Upload.ID: UnknownFields] = [:]
        var notUnderstood = 0
        var failure: JournalError?
    }

    private struct Batch: Sendable {
        var bytes: [UInt8] = []
        var records: [(origin: JournalReplay.Origin, range: Range<Int>)] = []

        init() {
            // Growing would copy each byte again. The last record may exceed the size of a batch.
            bytes.reserveCapacity(RecordDecoder.batchSize + (1 << 12))
        }
    }

    /// The decoded batches, by their numbers. A batch stays here until all batches with lower numbers are decoded.
    private final class Finished: Sendable {
        let batches = Mutex<[Int: Decoded]>([:])
    }

    private(set) var uploads: [Upload] = []
    private(set) var unknown: [Upload.ID: UnknownFields] = [:]
    /// The number of records that could not be decoded and were left out; always 0 if `readsNewer` is false.
    private(set) var notUnderstood = 0

    private let folder: String
    private let readsNewer: Bool
    private var batch = Batch()
    private var handedOut = 0
    private var collected = 0
    private let finished = Finished()
    private let queue = DispatchQueue(label: "ferry.decoding", attributes: .concurrent)
    private let group = DispatchGroup()
    /// The permits to decode a batch on another thread. Without one, the calling thread decodes the next batch.
    private let permits = DispatchSemaphore(value: 2 * (ProcessInfo.processInfo.activeProcessorCount - 1))

    private static let batchSize = 1 << 20

    /// - Parameter readsNewer: True to leave out records that cannot be decoded; false to treat them as errors.
    init(in folder: String, length: Int, readsNewer: Bool) {
        self.folder = folder
        self.readsNewer = readsNewer
        // A record is rarely shorter than 256 bytes, and reserved memory that stays unused is never allocated.
        uploads.reserveCapacity(length / 256)
    }

    /// Adds the next record, which is decoded now or later. The error for an invalid one names `origin`.
    func take(_ record: UnsafeBufferPointer<UInt8>, from origin: JournalReplay.Origin) {
        let start = batch.bytes.count
        batch.bytes.append(contentsOf: record)
        batch.records.append((origin, start..<batch.bytes.count))
        if batch.bytes.count >= Self.batchSize { handOut() }
    }

    /// Decodes the remaining records. Throws the error of the first that is invalid.
    func finish() throws(JournalError) {
        handOut()
        group.wait()
        if let failure = collect() { throw failure }
    }

    private func handOut() {
        let (batch, number) = (batch, handedOut)
        self.batch = Batch()
        handedOut += 1
        let (finished, folder, readsNewer) = (finished, folder, readsNewer)
        let work = { @Sendable in
            let decoded = Self.decode(batch, folder, readsNewer)
            finished.batches.withLock { $0[number] = decoded }
        }
        if batch.bytes.count >= Self.batchSize, permits.wait(timeout: .now()) == .success {
            queue.async(group: group) { [permits] in
                work()
                permits.signal()
            }
        } else {
            work()
        }
        _ = collect()
    }

    /// Moves the decoded batches to `uploads` in sequence, and returns the error of the first invalid record.
    private func collect() -> JournalError? {
        while var decoded = finished.batches.withLock({ $0.removeValue(forKey: collected) }) {
            if let failure = decoded.failure {
                // The batch stays, so that the next call returns the error too.
                finished.batches.withLock { $0[collected] = decoded }
                return failure
            }
            collected += 1
            while let upload = decoded.uploads.popLast() { uploads.append(upload) }
            unknown.merge(decoded.unknown) { _, new in new }
            notUnderstood += decoded.notUnderstood
        }
        return nil
    }

    private static func decode(_ batch: Batch, _ folder: String, _ readsNewer: Bool) -> Decoded {
        var decoded = Decoded()
        decoded.uploads.reserveCapacity(batch.records.count)
        var last = RepeatedTarget()
        batch.bytes.withUnsafeBufferPointer { bytes in
            // Reversed for `popLast`. So the error of the first invalid record remains.
            for (origin, range) in batch.records.reversed() {
                var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[range]))
                do throws(MalformedJSON) {
                    let (upload, members) = try scanner.upload(last: &last)
                    if !members.isEmpty { decoded.unknown[upload.id] = members }
                    decoded.uploads.append(upload)
                } catch {
                    guard readsNewer else {
                        decoded.failure = JournalError(
                            error, path: folder + "/" + origin.file, offset: origin.offset)
                        continue
                    }
                    decoded.notUnderstood += 1
                }
            }
        }
        return decoded
    }
}
