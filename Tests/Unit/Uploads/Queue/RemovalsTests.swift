import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct RemovalsTests {
    private static let start = ContinuousClock.now
    private static let end = start.advanced(by: Removals.window)

    private var removals = Removals()

    /// Makes an upload of which the server stores bytes.
    private static func begun(_ id: Upload.ID) -> Upload {
        var upload = Upload.make(id)
        upload.resource = UploadResource(url: "http://host.test/\(id)", confirmed: 1)
        return upload
    }

    /// Ends the undo windows that are over at `instant`, and returns the uploads whose bytes servers have to delete.
    private mutating func ended(at instant: ContinuousClock.Instant, isRunning: Bool = false) -> [Upload.ID] {
        removals.endWindows(at: instant, isRunning: { _ in isRunning }).map(\.id)
    }

    @Test mutating func `servers keep what they have until the window ends`() {
        removals.add([Self.begun(1)], now: Self.start)
        #expect(removals.nextEnd == Self.end)
        let discarded = [ended(at: Self.start), ended(at: Self.end)]
        #expect(discarded == [[], [1]])
        #expect(removals.nextEnd == nil)
    }

    @Test mutating func `the data of a removed upload that still runs is deleted once it has ended`() {
        removals.add([Self.begun(1)], now: Self.start)
        let discarded = [ended(at: Self.end, isRunning: true), ended(at: Self.end)]
        #expect(discarded == [[], [1]])
    }

    @Test mutating func `within the window an upload is put back as it was`() {
        removals.add([Self.begun(1)], now: Self.start)
        let back = removals.takeBack([1])
        #expect(back.first?.resource != nil)
        let discarded = ended(at: Self.end)
        #expect(discarded.isEmpty)
    }

    @Test mutating func `an upload that is removed again has a whole window again`() {
        removals.add([Self.begun(1)], now: Self.start)
        let back = removals.takeBack([1])
        removals.add(back, now: Self.start.advanced(by: .seconds(5)))
        let discarded = [ended(at: Self.end), ended(at: Self.end.advanced(by: .seconds(5)))]
        #expect(discarded == [[], [1]])
    }

    @Test mutating func `after the window an upload is put back without what the server had`() {
        removals.add([Self.begun(1)], now: Self.start)
        _ = ended(at: Self.end)
        let back = removals.takeBack([1])
        #expect(back.map(\.id) == [1])
        #expect(back.first?.resource == nil)
    }

    @Test mutating func `after the window it is still known that a server may have the whole file`() {
        var upload = Self.begun(1)
        upload.resource?.memory = ["wholeBodySent": "yes"]
        removals.add([upload], now: Self.start)
        let discarded = ended(at: Self.end)
        #expect(discarded.isEmpty)
        let back = removals.takeBack([1])
        #expect(back.first?.resource?.wholeBodySent == true)
    }

    @Test mutating func `an upload that arrived after its removal is put back as done`() {
        removals.add([Self.begun(1)], now: Self.start)
        removals.complete(1, as: .done(Receipt(bytes: 1), at: .distantPast))
        let discarded = removals.endAll()
        #expect(discarded.isEmpty)
        let back = removals.takeBack([1])
        #expect(back.first?.isDone == true)
    }

    @Test mutating func `a forgotten removal cannot be put back`() {
        removals.add([Self.begun(1)], now: Self.start)
        let discarded = removals.forget([1], isRunning: { _ in false })
        #expect(discarded.map(\.id) == [1])
        let back = removals.takeBack([1])
        #expect(back.isEmpty)
    }

    @Test mutating func `a removal that is forgotten while it runs is gone after its attempt and its window`()
    {
        removals.add([Self.begun(1)], now: Self.start)
        let discarded = removals.forget([1], isRunning: { _ in true })
        #expect(discarded.isEmpty)
        _ = ended(at: Self.end, isRunning: true)
        #expect(removals.unfinished == [1])
        let afterwards = ended(at: Self.end)
        #expect(afterwards == [1])
        #expect(removals.unfinished.isEmpty)
    }

    @Test mutating func `the end of the queue ends every window`() {
        removals.add([Self.begun(1), .make(2)], now: Self.start)
        let discarded = removals.endAll()
        #expect(discarded.map(\.id) == [1])
        #expect(removals.nextEnd == nil)
    }
}
