import FerryFiles
import FerryProtocols
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the uploads that an engine sends to `ferry list`.
@Suite(.timeLimit(.minutes(10)))
struct UploadListingTests {
    private static func upload(_ id: Upload.ID) -> Upload {
        Upload(
            id: id, rank: Int64(id), path: LocalPath("/films/\(id).mov"),
            identity: FileIdentity(device: 1, inode: UInt64(id), size: 5, modified: 0, changed: 0),
            target: .init(destination: "films", url: "http://h/", protocolName: "put", name: "\(id).mov"),
            added: Date(timeIntervalSinceReferenceDate: 0))
    }

    /// Requests a list from an engine that announces `count` uploads and sends those with the numbers `sent`.
    private func list(_ count: Int, sending sent: ClosedRange<Int>) throws -> UploadListing? {
        let content = ControlSocket.Response.Content.listing(
            count: count, largestID: nil, hasSeveralDestinations: true)
        let records = try UpdateLines.text(of: .whole(sent.map(Self.upload))).drop { $0 != 0x0A }
        let result = try RespondingEngine.ask(content, rest: Array(records.dropFirst())) {
            $0.list(UploadFilter(), samples: [])
        }
        guard case .reply(let listing) = result else { return nil }
        return listing
    }

    @Test func `a list of more than a page arrives whole and in its sequence`() async throws {
        let listing = try #require(try list(2500, sending: 1...2500))
        var ids: [Upload.ID] = []
        for try await page in listing.pages { ids += page.map(\.id) }
        #expect(ids == Array(1...2500))
    }

    @Test func `an engine that ends within a list is reported with what arrived`() async throws {
        let listing = try #require(try list(2500, sending: 1...2400))
        var ids: [Upload.ID] = []
        let failure = await #expect(throws: CommandFailure.self) {
            for try await page in listing.pages { ids += page.map(\.id) }
        }
        #expect(ids == Array(1...2400))
        #expect(
            failure?.summary == "the list is incomplete: 2400 of 2500 uploads arrived from the engine")
    }

    @Test func `an engine that ends before the first page has sent no list`() throws {
        #expect(try list(2500, sending: 1...400) == nil)
    }
}
