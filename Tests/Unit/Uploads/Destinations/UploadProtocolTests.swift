import FerryProtocols
import FerryStateSimulation
import Foundation
import Testing

@testable import FerryUploads

/// Tests the protocol of an upload for which `auto` chooses it.
struct UploadProtocolTests {
    private static func upload(_ state: Upload.State = .queued, chosen: String? = nil) -> Upload {
        var upload = Upload.make(
            state: state, resource: chosen.map { UploadResource(url: "u", memory: ["protocol": $0]) })
        upload.target.protocolName = "auto"
        return upload
    }

    @Test func `nothing is known before it is asked, and nothing could resume`() {
        #expect(Self.upload().protocolName == "auto")
        #expect(!Self.upload().canResume)
    }

    @Test(arguments: [("tus", true), ("put", false)])
    func `the resource says by which protocol it was made`(name: String, canResume: Bool) {
        #expect(Self.upload(chosen: name).protocolName == name)
        #expect(Self.upload(chosen: name).canResume == canResume)
    }

    @Test func `the receipt says it when the resource is gone`() {
        let done = Upload.State.done(Receipt(chosen: "put"), at: Date(timeIntervalSince1970: 0))
        #expect(Self.upload(done).protocolName == "put")
    }
}
