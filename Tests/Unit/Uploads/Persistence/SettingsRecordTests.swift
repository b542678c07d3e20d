import FerryProtocols
import FerryStateSimulation
import Testing

@testable import FerryUploads

/// Tests the settings in the queue's files.
struct SettingsRecordTests {
    private func text(_ settings: QueueSettings, unknown: String = "") -> String {
        var writer = JSONWriter()
        writer.settings(settings, unknown: Array(unknown.utf8))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func read(_ text: String) throws -> (settings: QueueSettings, unknown: String) {
        try Array(text.utf8).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            let (settings, unknown) = try scanner.settings()
            return (settings, String(decoding: unknown, as: UTF8.self))
        }
    }

    @Test(
        arguments: [
            [:], [.total: .atMost(9)], [.total: .unlimited], [.destination("a\"\n"): .atMost(.max)],
            [
                .total: .unlimited, .destination(""): .unlimited, .batch("é"): .atMost(1),
                .destination("b"): .atMost(2),
            ],
        ] as [[LimitScope: Bandwidth]])
    func `the settings from commands come back`(limits: [LimitScope: Bandwidth]) throws {
        let settings = QueueSettings(limits: limits, concurrency: 3, nextID: 8)
        #expect(try read(text(settings)).settings == settings)
        #expect(try read(text(settings, unknown: #","x":[1]"#)).unknown == #","x":[1]"#)
    }

    @Test func `the limit of all uploads stands where older versions look for it`() {
        #expect(
            text(QueueSettings(limits: [.total: .atMost(9), .batch("b"): .atMost(2)]))
                == #"{"nextID":1,"bandwidthLimit":9,"limits":[{"scope":"batch","name":"b","rate":2}]}"#)
    }

    @Test func `the limit that an older version set overrides the one that it kept unread`() throws {
        let text =
            #"{"nextID":1,"bandwidthLimit":9,"limits":[{"scope":"total"},{"scope":"batch","name":"b","rate":2}]}"#
        #expect(try read(text).settings.limits == [.total: .atMost(9), .batch("b"): .atMost(2)])
    }

    @Test(arguments: [1, 255, 256, 257, 1_000])
    func `any number of slots comes back`(count: Int) throws {
        let settings = QueueSettings(concurrency: count, nextID: 8)
        #expect(try read(text(settings)).settings == settings)
    }

    @Test func `older versions find a number of slots that they accept`() {
        #expect(text(QueueSettings(concurrency: 900)) == #"{"nextID":1,"concurrency":255,"slots":900}"#)
    }

    @Test func `the number of slots that an older version set overrides the one that it kept unread`() throws
    {
        #expect(try read(#"{"nextID":1,"concurrency":8,"slots":900}"#).settings.concurrency == 8)
        #expect(try read(#"{"nextID":1,"concurrency":256,"slots":900}"#).settings.concurrency == 256)
        #expect(try read(#"{"nextID":1,"slots":900}"#).settings.concurrency == nil)
    }

    @Test(arguments: [
        #"[{"scope":"total"},{"scope":"total"}]"#, #"[{"scope":"host","name":"h"}]"#, #"[{"scope":"batch"}]"#,
        #"[{"name":"b","rate":1}]"#, #"{"total":1}"#, #"[{"scope":"total","rate":1.5}]"#, "null",
    ])
    func `limits that cannot be meant are refused`(limits: String) {
        #expect(throws: MalformedJSON.self) { try read(#"{"nextID":1,"limits":\#(limits)}"#) }
    }
}
