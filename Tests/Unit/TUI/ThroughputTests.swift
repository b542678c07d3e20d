import FerryProtocols
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct ThroughputTests {
    /// Returns a model with a running upload of 1 GiB, after `steps` samples at four a second.
    private func sampled(from offset: ByteCount = 0, steps: Int, bytesPerStep: ByteCount = 250_000) -> Model {
        var model = Model.make([.make(1, size: 1_000_000_000, state: .running)])
        for step in 0...steps {
            _ = model.pass(to: Double(step) * 0.25)
            let sent = offset + ByteCount(step) * bytesPerStep
            _ = model.update(
                .progress([ProgressSample(id: 1, sent: sent, confirmed: offset, phase: .sending)]))
        }
        return model
    }

    @Test func `a steady upload shows its rate and time`() throws {
        let model = sampled(steps: 40)
        let rate = try #require(model.live.estimates[1].rate)
        #expect(abs(rate - 1_000_000) < 1)
        let remaining = try #require(model.live.estimates[1].remaining)
        #expect(abs(remaining - 990) < 2)
        #expect(abs((model.live.estimates.total.rate ?? 0) - 1_000_000) < 1)
    }

    @Test func `a time is promised after two seconds, and within five`() {
        #expect(sampled(steps: 7).live.estimates[1].remaining == nil)
        #expect(sampled(steps: 13).live.estimates[1].remaining != nil)
    }

    @Test func `the offset at which an upload resumes is not speed`() throws {
        var model = Model.make([.make(1, size: 1_000_000_000, state: .running)])
        let samples = [
            ProgressSample(id: 1, sent: 0, confirmed: 0, phase: .connecting),
            ProgressSample(id: 1, sent: 500_000_000, confirmed: 500_000_000, phase: .sending),
            ProgressSample(id: 1, sent: 500_100_000, confirmed: 500_000_000, phase: .sending),
        ]
        for (step, sample) in samples.enumerated() {
            _ = model.pass(to: Double(step))
            _ = model.update(.progress([sample]))
        }
        let rate = try #require(model.live.estimates[1].rate)
        #expect(abs(rate - 100_000) < 1)
    }

    @Test func `a new attempt starts a new measurement`() {
        var model = sampled(steps: 40)
        _ = model.change(.make(1, size: 1_000_000_000, state: .running(attempt: 2, since: .distantPast)))
        _ = model.pass(to: 11)
        _ = model.update(.progress([ProgressSample(id: 1, sent: 900_000_000, confirmed: 0, phase: .sending)]))
        #expect(model.live.estimates[1].rate == nil)
    }

    @Test func `numbers change at most twice a second, times once`() {
        var rates: Set<Double> = []
        var times: Set<Double> = []
        var model = Model.make([.make(1, size: 1_000_000_000, state: .running)])
        var sent: ByteCount = 0
        for step in 0..<80 {
            _ = model.pass(to: Double(step) * 0.25)
            sent += ByteCount(step * step) * 100
            _ = model.update(.progress([ProgressSample(id: 1, sent: sent, confirmed: 0, phase: .sending)]))
            if let rate = model.live.estimates[1].rate { rates.insert(rate) }
            if let remaining = model.live.estimates[1].remaining { times.insert(remaining) }
        }
        #expect(rates.count <= 41)
        #expect(times.count <= 20)
        #expect(times.count >= 10)
    }

    @Test func `a limit that is set is in every time a second later, and the total is not under one of them`()
        throws
    {
        var model = sampled(steps: 40)
        _ = model.change(status: EngineStatus(limits: [BandwidthLimit(.total, .atMost(100_000))]))
        _ = model.pass(to: 10.25)
        _ = model.update(
            .progress([ProgressSample(id: 1, sent: 10_025_000, confirmed: 0, phase: .sending)]))
        let remaining = try #require(model.live.estimates[1].remaining)
        #expect(abs(remaining - 9900) < 20)
        #expect(try #require(model.live.estimates.total.remaining) >= remaining)
        #expect(model.frame().text(0).contains("ETA 2:45:0"))
    }

    @Test func `uploads that begin and end between two samples count too`() {
        var model = Model.make((1...40).map { .make($0, size: 1000, state: $0 == 1 ? .running : .queued) })
        for step in 1...20 {
            _ = model.pass(to: Double(step) * 0.25)
            _ = model.change(
                .make(step, size: 1000, state: .done), .make(step + 1, size: 1000, state: .running))
            _ = model.update(
                .progress([ProgressSample(id: step + 1, sent: 0, confirmed: 0, phase: .connecting)]))
        }
        #expect(abs((model.live.estimates.total.rate ?? 0) - 4000) < 200)
    }

    @Test func `uploads also count if the server confirmed all bytes before they ended`() {
        var model = Model.make((1...40).map { .make($0, size: 1000, state: $0 == 1 ? .running : .queued) })
        for step in 1...20 {
            _ = model.pass(to: Double(step) * 0.25)
            _ = model.change(.make(step, size: 1000, state: .running, confirmed: 1000))
            _ = model.change(
                .make(step, size: 1000, state: .done), .make(step + 1, size: 1000, state: .running))
            _ = model.update(
                .progress([ProgressSample(id: step + 1, sent: 0, confirmed: 0, phase: .connecting)]))
        }
        #expect(abs((model.live.estimates.total.rate ?? 0) - 4000) < 200)
    }

    @Test func `an upload that stands still promises nothing`() {
        var model = sampled(steps: 40)
        for step in 0..<4000 {
            _ = model.pass(to: 11 + Double(step) * 0.25)
            _ = model.update(
                .progress([ProgressSample(id: 1, sent: 10_000_000, confirmed: 0, phase: .sending)]))
        }
        #expect(model.live.estimates[1].remaining == nil)
        #expect((model.live.estimates[1].rate ?? 1) < 1)
    }

    @Test func `absurd samples do not trap`() {
        var model = Model.make([.make(1, size: 10, state: .running)])
        for (step, sent) in [ByteCount.min, .max, 0, .max, -1].enumerated() {
            _ = model.pass(to: Double(step))
            _ = model.update(.progress([ProgressSample(id: 1, sent: sent, confirmed: .max, phase: .sending)]))
            #expect(model.frame().size.rows == 24)
        }
        _ = model.update(.progress([ProgressSample(id: 99, sent: 1, confirmed: 1, phase: .sending)]))
        #expect(model.live.progress[99] == nil)
    }
}
