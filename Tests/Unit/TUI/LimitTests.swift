import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests how bandwidth limits are shown and set.
@Suite struct LimitTests {
    /// 14:00 on a Monday.
    private static let start = Date(timeIntervalSince1970: Clock.start)

    private static let workday = BandwidthLimit(
        .total, .atMost(2 << 20), origin: .timetable, until: start.addingTimeInterval(4 * 3600))
    private static let others = [
        BandwidthLimit(.destination("films"), .atMost(1 << 20), origin: .command),
        BandwidthLimit(.batch("raw"), .unlimited, origin: .command),
    ]

    @Test(arguments: [72, 80, 120])
    func `the first line shows until when the timetable limits`(columns: Int) {
        let status = EngineStatus(limits: [Self.workday] + Self.others)
        let model = Model.make([.make(1, state: .running)], columns: columns, status: status)
        #expect(model.frame().text(0).contains("  limit 2 MiB/s until 18:00  "))
    }

    @Test func `without a total limit the first line shows the limits of destinations and batches`() {
        for (limits, text) in [
            (Self.others, "  limit films 1 MiB/s  "),
            (Self.others + [BandwidthLimit(.batch("may"), .atMost(5))], "  2 limits  "),
            ([BandwidthLimit(.batch("raw"), .unlimited)], "B/s  1 of 4 uploading"),
        ] {
            let status = EngineStatus(limits: limits)
            let line = Model.make([.make(1, state: .running)], status: status).frame().text(0)
            #expect(line.contains(text), "\(line)")
        }
    }

    @Test func `the details of an upload name the limits that it goes by`() {
        var upload = Upload.make(1, state: .running, destination: "films")
        upload.batch = "may"
        let limits =
            [Self.workday] + Self.others
            + [BandwidthLimit(.batch("may"), .atMost(3 << 20)), BandwidthLimit(.batch("june"), .atMost(1))]
        let details = DetailsView(model: .make([upload], status: EngineStatus(limits: limits)))
        #expect(
            details.facts(upload).first { $0.label == "limit" }?.text
                == "2 MiB/s until 18:00 for all uploads; 1 MiB/s for uploads to films; "
                + "3 MiB/s for uploads of the batch may")
        upload.state = .done
        #expect(!details.facts(upload).contains { $0.label == "limit" })
    }

    @Test(
        arguments: [
            (
                .bandwidth(Self.workday),
                "undone: the limit is 2 MiB/s until 18:00 for all uploads now; Ctrl-R redoes it"
            ),
            (
                .bandwidth(Self.others[1]),
                "undone: the limit is off for uploads of the batch raw now; Ctrl-R redoes it"
            ), (.concurrency(3), "undone: 3 uploads at once now; Ctrl-R redoes it"),
        ] as [(LimitSetting, String)])
    func `undoing shows the limit that is in effect now`(setting: LimitSetting, text: String) {
        var model = Model.make()
        _ = model.update(.replied(.reversed(.limited(setting), []), to: .undo))
        #expect(model.toast.current?.text == text)
    }

    @Test(
        arguments: [
            (0, "14:00"), (36_000, "00:00"), (86_399, "13:59"), (86_400, "Tue 14:00"), (518_400, "Sun 14:00"),
            (604_800, "2024-01-08 14:00"),
        ] as [(Double, String)])
    func `a moment from a day on has its day of the week`(seconds: Double, text: String) throws {
        let moment = Strings.moment(Self.start.addingTimeInterval(seconds), after: Self.start, in: .gmt)
        #expect(moment == text)
    }

    @Test func `the prompt shows what else is limited`() {
        var model = Model.make(status: EngineStatus(limits: [Self.workday] + Self.others))
        model.type("b")
        let screen = model.frame().description
        #expect(screen.contains("2.0M"))
        #expect(screen.contains("limit for uploads to films: 1 MiB/s"))
        #expect(screen.contains("limit for uploads of the batch raw: no limit"))
    }

    @Test func `more limits than there is room for leave the prompt on the screen`() {
        let many = (1...100).map { BandwidthLimit(.destination("place \($0)"), .atMost(1)) }
        for rows in 8...24 {
            var model = Model.make(rows: rows, status: EngineStatus(limits: many))
            model.type("b")
            #expect(model.frame().description.contains("Limit (20M is 20 MiB/s"))
        }
    }

    @Test(
        arguments: [
            (.atMost(1 << 20), .total, "total limit: 1 MiB/s"),
            (.unlimited, .destination("films"), "no bandwidth limit for uploads to films"),
            (
                nil, .batch("raw"),
                "the bandwidth limit for uploads of the batch raw is as configured"
            ),
        ] as [(Bandwidth?, LimitScope, String)])
    func `the confirmation of a limit names rate and scope`(
        bandwidth: Bandwidth?, scope: LimitScope, text: String
    ) {
        #expect(scope.confirmation(of: bandwidth) == text)
    }

    @Test func `in lines the limits are listed and set, for a destination that there is`() {
        var plain = PlainModel.make(
            status: EngineStatus(limits: [BandwidthLimit(.total, .atMost(2 << 20))] + Self.others))
        #expect(
            plain.type("limit").lines == [
                "total limit: 2 MiB/s", "limit for uploads to films: 1 MiB/s",
                "limit for uploads of the batch raw: no limit",
            ])
        #expect(
            plain.type("limit 1M to box").commands == [.limitBandwidth(.atMost(1 << 20), .destination("box"))]
        )
        #expect(plain.reply(.changed([])).lines == ["limit for uploads to box: 1 MiB/s"])
        let refused = plain.type("limit 1M to film")
        #expect(refused.commands.isEmpty)
        #expect(refused.lines == ["there is no destination film; known are box"])
        #expect(plain.type("limit auto to film").commands == [.limitBandwidth(nil, .destination("film"))])
    }
}
