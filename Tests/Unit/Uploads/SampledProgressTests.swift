import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests the progress of uploads from samples and from the bytes that servers confirmed.
struct SampledProgressTests {
    private static let date = Date(timeIntervalSince1970: 0)
    private static let failure = UploadFailure(.server, "busy")

    /// Returns the progress of an upload of 100 bytes. Its record has 20 confirmed bytes; its sample has 70 sent and 30
    /// confirmed.
    private func sent(_ state: Upload.State, _ phase: ProgressSample.Phase = .sending) -> ByteCount {
        let upload = Upload.make(
            size: 100, state: state, resource: UploadResource(url: "https://host/1", confirmed: 20))
        return SampledProgress([ProgressSample(id: 1, sent: 70, confirmed: 30, phase: phase)]).of(upload)
    }

    @Test(
        arguments: [(.sending, 70), (.waitingForServer, 70), (.connecting, 30), (.reading, 30)]
            as [(ProgressSample.Phase, ByteCount)])
    func `a running upload counts its sample, and before its first byte the server's bytes`(
        phase: ProgressSample.Phase, expected: ByteCount
    ) {
        #expect(sent(.running(attempt: 1, since: Self.date), phase) == expected)
    }

    @Test(arguments: [
        Upload.State.queued, .waiting(until: date, failure: failure), .paused(.user), .paused(.offline),
        .held(failure), .failed(failure),
    ])
    func `bytes that an ended attempt had sent do not count`(state: Upload.State) {
        #expect(sent(state) == 20)
    }

    @Test func `bytes that an ended attempt had sent count where the server keeps them`() {
        var upload = Upload.make(
            size: 100, state: .paused(.user), resource: UploadResource(url: "https://host/1", confirmed: 20))
        upload.tries.sent = 60
        #expect(SampledProgress().of(upload) == 60)
        upload.resource = nil
        #expect(SampledProgress().of(upload) == 0)
    }

    @Test func `a done upload counts as a whole`() { #expect(sent(.done(Receipt(), at: Self.date)) == 100) }

    @Test func `without a sample what the server holds counts`() {
        let upload = Upload.make(
            2, size: 100, state: .running(attempt: 1, since: Self.date),
            resource: UploadResource(url: "https://host/2", confirmed: 20))
        #expect(SampledProgress().of(upload) == 20)
        #expect(SampledProgress().left(of: upload) == 80)
    }

    @Test func `no sample says more than there is of a file that became smaller`() {
        let upload = Upload.make(size: 50, state: .running(attempt: 1, since: Self.date))
        let sent = SampledProgress([ProgressSample(id: 1, sent: 70, confirmed: 0, phase: .sending)])
        #expect(sent.of(upload) == 50)
        #expect(sent.left(of: upload) == 0)
    }
}
