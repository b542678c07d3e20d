import Foundation
import Testing
import Transfer
import UploadProtocols
import Uploads

@testable import ferry

/// What a running engine makes of an edited configuration, before anything is done.
struct ConfigurationChangesTests {
    private func configuration(_ text: String) throws -> Configuration {
        try ConfigurationFile.parse(Data(text.utf8), file: "config.json")
    }

    private func changes(_ old: String, _ new: String, since first: String? = nil) throws
        -> ConfigurationChanges
    {
        ConfigurationChanges(
            from: try configuration(old), to: try configuration(new), since: try configuration(first ?? old))
    }

    private func assembly(_ text: String) throws -> Assembly {
        Assembly(configuration: try configuration(text), state: LocalPath("/state"))
    }

    @Test func `destinations are told apart by what became of them`() throws {
        let changes = try changes(
            #"{ "destinations": { "a": { "url": "http://h/" }, "b": { "url": "http://h/" }, "c": { "url": "http://h/" } } }"#,
            #"{ "destinations": { "b": { "url": "http://h/" }, "c": { "url": "http://x/" }, "d": { "url": "http://h/" } } }"#
        )
        #expect(changes.added == ["d"])
        #expect(changes.changed == ["c"])
        #expect(changes.removed == ["a"])
        #expect(changes.now == [] && changes.atNextStart == [])
    }

    @Test(arguments: [
        (#"{ "limits": { "bandwidth": "2M" } }"#, "limits"), (#"{ "retry": { "cap": 9 } }"#, "retry"),
        (#"{ "whenFileChanges": "restart" }"#, "whenFileChanges"),
        (#"{ "timeouts": { "stall": 9 } }"#, "timeouts"), (#"{ "proxy": "none" }"#, "proxy"),
    ])
    func `what the engine goes by anew each time holds at once`(text: String, key: String) throws {
        let changes = try changes("{}", text)
        #expect(changes.now == [key])
        #expect(changes.atNextStart == [])
    }

    @Test(arguments: [
        (#"{ "timeouts": { "read": 9 } }"#, "timeouts.read"),
        (#"{ "connectivity": { "monitor": false } }"#, "connectivity"),
        (#"{ "appearance": { "mouse": false } }"#, "appearance"),
        (#"{ "keys": { "remove": ["d"] } }"#, "keys"),
        (#"{ "onHangUp": "continue" }"#, "onHangUp"), (#"{ "hooks": { "idle": ["true"] } }"#, "hooks"),
        (#"{ "notify": { "terminal": "bell" } }"#, "notify"),
        (#"{ "watch": [{ "folder": "/out", "to": "http://h/" }] }"#, "watch"),
    ])
    func `the rest is named until the next start, however often it is read`(text: String, key: String) throws
    {
        #expect(try changes("{}", text).atNextStart == [key])
        #expect(try changes("{}", text).now == [])
        #expect(try changes(text, text, since: "{}").atNextStart == [key])
        #expect(try changes(text, "{}", since: "{}").isEmpty)
    }

    private static let before = #"""
        { "destinations": {
            "kept": { "url": "http://h/", "auth": { "bearer": { "env": "A" } } },
            "slower": { "url": "http://h/", "auth": { "bearer": { "env": "A" } } },
            "other": { "url": "http://h/", "auth": { "bearer": { "env": "A" } } } } }
        """#
    private static let after = #"""
        { "destinations": {
            "kept": { "url": "http://h/", "auth": { "bearer": { "env": "A" } } },
            "slower": { "url": "http://h/", "limits": { "bandwidth": 5 }, "auth": { "bearer": { "env": "A" } } },
            "other": { "url": "http://h/", "auth": { "bearer": { "env": "B" } } } } }
        """#

    /// Names of the destinations that keep their sign-in.
    private func kept(from before: String, to after: String) throws -> Set<String> {
        let (old, new) = (try assembly(before), try assembly(after))
        let known = Destinations(
            old.destinations.map { destination in
                var destination = destination
                destination.interceptor = Marker()
                return destination
            })
        return Set(new.destinations(after: old, known).named.filter { $0.value.interceptor is Marker }.keys)
    }

    private struct Marker: RequestInterceptor {}

    @Test func `a destination whose requests stay as they are keeps its sign-in`() throws {
        #expect(try kept(from: Self.before, to: Self.after) == ["kept", "slower"])
    }

    @Test(arguments: [#""proxy": "none""#, #""timeouts": { "stall": 9 }"#])
    func `what is for all destinations makes all of them anew`(more: String) throws {
        #expect(
            try kept(from: Self.before, to: Self.before.replacing("{ \"dest", with: "{ \(more), \"dest"))
                == [])
    }

    @Test func `what is still needed stays known`() throws {
        let (old, new) = (try assembly(Self.before), try assembly("{}"))
        let known = Destinations(old.destinations)
        #expect(Set(new.destinations(after: old, known, keeping: ["kept"]).named.keys) == ["kept"])
    }

    @Test func `people are told in lines, and nothing of what stayed as it was`() throws {
        var changes = try changes("{}", #"{ "limits": { "done": 1 }, "onHangUp": "continue" }"#)
        changes.added = ["a", "b"]
        changes.removed = ["c"]
        let report = ReloadReport(file: "/config.json", changes: changes, retry: [3, 7], warnings: [])
        #expect(
            report.lines == [
                "/config.json was read again", "destinations: added a, b; removed c",
                "holds from now on: limits", "takes effect at the next start: onHangUp",
                "2 uploads failed for want of a destination that is there now: `ferry retry 3 7`",
            ])
        let nothing = ReloadReport(
            file: "/config.json", changes: try self.changes("{}", "{}"), retry: [], warnings: [])
        #expect(nothing.lines == ["/config.json was read again: nothing has changed"])
    }
}
