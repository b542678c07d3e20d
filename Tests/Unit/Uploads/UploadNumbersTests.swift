import FerryProtocols
import FerryTransfer
import Testing

@testable import FerryUploads

struct UploadNumbersTests {
    @Test func `words are numbers and ranges`() throws {
        #expect(try UploadNumbers(words: ["12", "3-7", "5-5"]).ranges == [12...12, 3...7, 5...5])
    }

    @Test(arguments: [["1-20,22"], ["1-20", "22"], ["1-20,", "22"], ["1-20,22,"]])
    func `commas part them as blanks do`(words: [String]) throws {
        #expect(try UploadNumbers(words: words).ranges == [1...20, 22...22])
    }

    @Test(arguments: ["1,,2", ",1", ",", "1, 2"])
    func `between commas there is a number`(word: String) {
        #expect(throws: UploadFailure.self) { try UploadNumbers(words: [word]) }
    }

    @Test func `numbers that follow each other are a range`() {
        let numbers = UploadNumbers(joining: [9, 3, 4, 12, 5, 4, .max])
        #expect(numbers.ranges == [3...5, 9...9, 12...12, .max ... .max])
        #expect(numbers.text == "3-5,9,12,\(Int.max)")
    }

    @Test(arguments: [(4, [1, 2, 3, 7]), (3, nil)] as [(Int, [Upload.ID]?)])
    func `ranges are listed if they have at most so many numbers`(limit: Int, expected: [Upload.ID]?) {
        #expect(UploadNumbers([1...3, 7...7]).ids(atMost: limit) == expected)
    }

    @Test(arguments: [0 ... .max, .min ... .max] as [ClosedRange<Upload.ID>])
    func `no range is too long to be refused`(range: ClosedRange<Upload.ID>) {
        #expect(UploadNumbers([range]).ids(atMost: 10) == nil)
    }

    @Test(arguments: [
        "", "0", "-1", "+1", "1-", "-", "1--2", "1-2-3", "0-3", "x", "1-x", "１", "1 2",
        "9-99999999999999999999",
    ])
    func `anything else is named as no number`(word: String) {
        #expect(throws: UploadFailure(.permanent, "'\(word)' is not the number of an upload")) {
            try UploadNumbers(words: [word])
        }
    }

    @Test func `a range that runs backwards is refused with the range that is meant`() {
        #expect(throws: UploadFailure(.permanent, "'7-3' runs backwards: 3-7 is meant")) {
            try UploadNumbers(words: ["7-3"])
        }
    }

    @Test(
        arguments: [
            ([3...7], [4, 6], []), ([1...1], [], [1...1]), ([6...6, 4...4, 4...6], [4, 6], []),
            ([5...5, 4...6], [4, 6], [5...5]), ([1...Int.max], [2, 4, 6, 8], []),
            ([9...Int.max], [], [9...Int.max]),
            ([1...3, 3...7, 2...2], [2, 4, 6], []),
        ] as [([ClosedRange<Int>], [Int], [ClosedRange<Int>])])
    func `existing numbers are found once each, and ranges without any are named`(
        ranges: [ClosedRange<Int>], ids: [Int], missing: [ClosedRange<Int>]
    ) {
        let found = UploadNumbers(ranges).found(among: [8, 2, 6, 4])
        #expect(found.ids == ids)
        #expect(found.missing == missing)
        guard let tested = UploadNumbers(ranges).found(where: [8, 2, 6, 4].contains) else { return }
        #expect(tested.ids == ids)
        #expect(tested.missing == missing)
    }

    @Test func `few numbers are tested one by one, and many are not`() {
        #expect(UploadNumbers([1...3, 2...4]).found { $0 != 3 }?.ids == [1, 2, 4])
        for many: [ClosedRange<Int>] in [
            [1...Int.max], [Int.min...Int.max], Array(repeating: 1...1, count: 65),
        ] {
            #expect(UploadNumbers(many).found { _ in true } == nil)
        }
    }

    @Test func `however many ranges overlap, each upload is looked at once`() {
        let ranges = (1...20_000).map { $0...Int.max }
        #expect(UploadNumbers(ranges).found(among: 1...20_000).ids.count == 20_000)
    }

    @Test func `the queue takes a range as those in it, and nothing if one range has none`() async throws {
        let fixture = QueueFixture()
        _ = await fixture.add(5)
        guard
            case .changed(let paused) = await fixture.queue.perform(
                .pause(.numbers(UploadNumbers([2...3, 5...900]))))
        else {
            Issue.record("refused")
            return
        }
        #expect(paused.sorted() == [2, 3, 5])
        let reply = await fixture.queue.perform(.resume(.numbers(UploadNumbers([1...3, 6...9, 20...20]))))
        #expect(
            reply
                == .refused(
                    UploadFailure(
                        .permanent, "there is no upload 6 to 9, 20",
                        hint: "the list of uploads shows their numbers")))
    }
}
