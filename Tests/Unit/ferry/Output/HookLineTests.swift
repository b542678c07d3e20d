import FerryProtocols
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the line that a hook reads on standard input.
struct HookLineTests {
    private func line(_ event: QueueEvent) throws -> String {
        var backlog = HookBacklog(capacity: 1)
        let name = try #require(event.name)
        _ = backlog.add(event, name)
        let entry = backlog.next()
        return try #require(entry).line
    }

    @Test func `commands read the names of --json`() throws {
        let full = UploadFailure(.permanent, "full", hint: "make room")
        let lines = [
            try line(.idle([.done: 2, .held: 1])), try line(.status(.offline("no\naddress"))),
            try line(.status(.online)), try line(.status(.storage(.refusing, full))),
        ]
        #expect(
            lines == [
                #"{"counts":{"done":2,"held":1},"event":"idle"}"#,
                #"{"event":"offline","reason":"no\naddress"}"#, #"{"event":"online"}"#,
                #"{"event":"notSaved","hint":"make room","text":"full"}"#,
            ])
        let failed = try line(.upload(.ended(.failed, .boxed(7, .failed, attempts: 3))))
        let object = try JSONSerialization.jsonObject(with: Data(failed.utf8))
        let members = try #require(object as? [String: Any])
        #expect(members["event"] as? String == "failed")
        #expect(members["id"] as? Int == 7)
        #expect(members["error"] as? String == "no write access")
        #expect(members["attempts"] as? Int == 3)
    }
}
