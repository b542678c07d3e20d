import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

@Suite struct ExitSummaryTests {
    private static func upload(_ id: Upload.ID, _ state: Upload.State) -> Upload {
        Upload(
            id: id, rank: Int64(id), path: LocalPath("/out/\(id)"),
            identity: FileIdentity(device: 1, inode: 1, size: 1000, modified: 1, changed: 1),
            target: .init(destination: "", url: "http://127.0.0.1/", protocolName: "put", name: "\(id)"),
            state: state, resource: nil, added: Date(timeIntervalSince1970: 0))
    }

    private static let done = Upload.State.done(Receipt(bytes: 1000), at: Date(timeIntervalSince1970: 0))

    @Test func `the exit summary leaves out uploads that were done before`() {
        let uploads = [Self.upload(1, Self.done), Self.upload(2, Self.done), Self.upload(3, .queued)]
        #expect(
            ExitSummary(uploads, doneBefore: [1]).text
                == "1 uploaded (1 KiB)\n1 unfinished; `ferry` resumes them")
        #expect(ExitSummary(Array(uploads.prefix(2)), doneBefore: [1, 2]).text == nil)
    }

    @Test func `the exit summary of a demo offers nothing that needs its queue`() {
        let failed = Upload.State.failed(UploadFailure(.permanent, "no"))
        let uploads = [Self.upload(1, Self.done), Self.upload(2, .queued), Self.upload(3, failed)]
        let summary = ExitSummary(uploads, isDemo: true)
        #expect(summary.text == "1 uploaded (1 KiB)\nthe demo's files are removed")
        #expect(summary.hasFailures)
    }
}
