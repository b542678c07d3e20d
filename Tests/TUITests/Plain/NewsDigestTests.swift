import Testing

@testable import FerryTUI

@Suite struct NewsDigestTests {
    @Test func `a few are told one by one`() {
        var digest = NewsDigest(names: false)
        #expect(digest.add([.make(.done, 1), .make(.done, 2)], now: 0).count == 2)
        #expect(digest.add([.make(.done, 3)], now: 0.5).count == 1)
        #expect(digest.deadline == nil)
    }

    @Test func `many at once are counted at once`() {
        var digest = NewsDigest(names: false)
        let lines = digest.add((1...10_000).map { .make(.added, $0) }, now: 0)
        #expect(lines == ["10,000 added (9.5 MB), numbers 1 to 10000"])
        #expect(digest.advance(to: 1).isEmpty)
        #expect(digest.deadline == nil)
    }

    @Test func `in a burst there is one line a second and then less, however many are done`() {
        var digest = NewsDigest(names: false)
        var lines: [String] = []
        // Ten thousand small files in ten seconds, in pieces as they come from the queue.
        for step in 0..<1000 {
            let ids = (step * 10 + 1)...(step * 10 + 10)
            lines += digest.add(ids.map { .make(.done, $0) }, now: Double(step) / 100)
        }
        lines += digest.finish()
        #expect(lines.count <= 5, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("in the last second 990 done") })
        #expect(lines.contains { $0.hasPrefix("in the last 2 seconds 2,000 done") })
        #expect(lines.last?.hasSuffix("to 10000") == true)
    }

    @Test func `those that come one by one are not more than a handful a second either`() {
        var digest = NewsDigest(names: false)
        var lines: [String] = []
        for id in 1...500 { lines += digest.add([.make(.done, id)], now: Double(id) / 50) }
        lines += digest.finish()
        #expect(lines.count <= 10, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("in the last 2 seconds 10") })
    }

    @Test func `a little more than a few is told by name when no more comes`() {
        var digest = NewsDigest(names: false)
        _ = digest.add((1...4).map { .make(.done, $0) }, now: 0)
        #expect(digest.add([.make(.done, 5), .make(.done, 6)], now: 0.2).isEmpty)
        #expect(digest.deadline == 1)
        #expect(digest.advance(to: 1).map { $0.prefix(6) } == ["5 done", "6 done"])
    }

    @Test func `several kinds are told in one line`() {
        var digest = NewsDigest(names: false)
        let news = (1...6).map { News.make(.paused, $0) } + (7...20).map { News.make(.began, $0) }
        #expect(digest.add(news, now: 0) == ["14 began, numbers 7 to 20; 6 paused, numbers 1 to 6"])
    }

    @Test func `where many are done, it goes without saying that many begin`() {
        var digest = NewsDigest(names: false)
        let news = (1...6).map { News.make(.done, $0) } + (7...20).map { News.make(.began, $0) }
        #expect(digest.add(news, now: 0) == ["6 done (5.9 KB), numbers 1 to 6"])
    }

    @Test func `of many failures the first are told whole, more by name, and the others are counted`() {
        var digest = NewsDigest(names: true)
        let lines = digest.add((1...500).map { .make(.failed, $0, state: .failed) }, now: 0)
        #expect(lines.count == 6)
        #expect(lines[4].hasPrefix("5 failed: file-5.bin: 403 no write access"))
        #expect(
            lines[5]
                == "495 more failed: 6, file-6.bin; 7, file-7.bin; 8, file-8.bin and 492 others; list failed says why"
        )
    }

    @Test func `nothing is lost at the end`() {
        var digest = NewsDigest(names: false)
        _ = digest.add((1...10).map { .make(.done, $0) }, now: 0)
        #expect(digest.add([.make(.done, 11)], now: 0.1).isEmpty)
        #expect(digest.finish().map { $0.prefix(7) } == ["11 done"])
        #expect(digest.finish().isEmpty)
    }
}
