import FerryProtocols
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

/// Tests the progress of stopped uploads of which the server has not confirmed any byte.
@Suite struct ReachedTests {
    /// Returns a model with an upload of 1,000 bytes of which half is sent.
    private static func half(method: String = "tus", confirmed: ByteCount? = 0) -> Model {
        var model = Model.make([.make(1, state: .running, confirmed: confirmed, method: method)])
        _ = model.update(.progress([ProgressSample(id: 1, sent: 500, confirmed: 0, phase: .sending)]))
        return model
    }

    @Test(arguments: [Upload.State.paused(.user), .paused(.offline), .waiting(5), .queued, .failed])
    func `an upload that stops keeps its bar`(state: Upload.State) {
        var model = Self.half()
        _ = model.change(.make(1, state: state, confirmed: 0))
        #expect(model.frame().text(3).contains("50%"))
    }

    @Test func `it keeps it while it connects again`() {
        var model = Self.half()
        _ = model.change(.make(1, state: .queued, confirmed: 0))
        _ = model.change(.make(1, state: .running, confirmed: 0))
        _ = model.update(.progress([ProgressSample(id: 1, sent: 0, confirmed: 0, phase: .connecting)]))
        #expect(model.frame().text(3).contains("50%"))
    }

    @Test func `the bytes that the server confirms afterwards count`() {
        var model = Self.half()
        _ = model.change(.make(1, state: .queued, confirmed: 0))
        _ = model.change(.make(1, state: .running, confirmed: 400))
        _ = model.update(.progress([ProgressSample(id: 1, sent: 400, confirmed: 400, phase: .sending)]))
        #expect(model.frame().text(3).contains("40%"))
    }

    @Test func `an upload that starts again from 0 shows no percentage`() {
        var put = Self.half(method: "put", confirmed: nil)
        _ = put.change(.make(1, state: .queued, method: "put"))
        #expect(!put.frame().text(3).contains("%"))
        var lost = Self.half()
        _ = lost.change(.make(1, state: .queued, confirmed: nil))
        #expect(!lost.frame().text(3).contains("%"))
    }

    @Test func `the remaining bytes do not jump when a link drops`() {
        var model = Self.half()
        #expect(model.bytesLeft == 500)
        _ = model.change(.make(1, state: .waiting(5), confirmed: 0))
        #expect(model.bytesLeft == 500)
        _ = model.change(.make(1, state: .done, confirmed: 0))
        #expect(model.bytesLeft == 0)
    }

    @Test func `a part at the server needs a confirmation although its size is unknown`() {
        var model = Model.make([.make(1, confirmed: 0)])
        let answer = model.type("x")
        #expect(answer.isEmpty)
        #expect(model.frame().description.contains("already has a part of it"))
        var half = Self.half()
        half.type("x")
        #expect(half.frame().description.contains("already has about 500 B of it"))
    }
}
