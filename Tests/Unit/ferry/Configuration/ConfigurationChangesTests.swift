import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the comparison of two configurations.
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

    @Test func `destinations are distinguished as added, changed and removed`() throws {
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
    func `a setting that the engine reads each time takes effect at once`(text: String, key: String) throws {
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

    /// Returns the names of the destinations that keep their sign-in.
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

    @Test func `a destination with unchanged requests keeps its sign-in`() throws {
        #expect(try kept(from: Self.before, to: Self.after) == ["kept", "slower"])
    }

    private static let bearer = #"{ "bearer": { "env": "A" } }"#
    private static let oauth2 =
        #"{ "oauth2": { "tokenURL": "https://h/", "clientID": "c", "refreshToken": { "env": "A" } } }"#
    private static let s3 = #"{ "s3": { "profile": "p" } }"#

    @Test(arguments: [
        (bearer, #""url": "http://x/""#, "", true), (bearer, #""headers": { "A": "b" }"#, "", true),
        (bearer, "", #""timeouts": { "stall": 9 }"#, true), (bearer, "", #""proxy": "none""#, true),
        (oauth2, #""url": "http://x/""#, "", true), (oauth2, #""headers": { "A": "b" }"#, "", true),
        (oauth2, "", #""timeouts": { "stall": 9 }"#, false), (oauth2, "", #""proxy": "none""#, false),
        (oauth2, #""proxy": "none""#, "", false),
        (s3, #""headers": { "A": "b" }"#, "", true), (s3, #""s3": { "region": "r" }"#, "", false),
        (s3, #""url": "http://x/""#, "", false),
    ])
    func `a sign-in is kept where nothing is different that it goes by itself`(
        auth: String, member: String, more: String, isKept: Bool
    ) throws {
        func text(_ members: [String], _ more: String) -> String {
            let members = ([#""auth": \#(auth)"#] + members).filter { !$0.isEmpty }
            let all = [#""destinations": { "d": { \#(members.joined(separator: ", ")) } }"#, more]
            return "{ \(all.filter { !$0.isEmpty }.joined(separator: ", ")) }"
        }
        let url = #""url": "http://h/""#
        let new = text(member.hasPrefix(#""url""#) ? [member] : [url, member], more)
        #expect(try kept(from: text([url], ""), to: new) == (isKept ? ["d"] : []))
    }

    @Test func `only what is new is added to what is known`() throws {
        let new = try assembly(Self.before).adding(
            try configuration(
                #"{ "destinations": { "kept": { "url": "http://x/" }, "new": { "url": "http://h/" } } }"#
            ).destinations)
        #expect(new.configuration.destinations.keys.sorted() == ["kept", "new", "other", "slower"])
        #expect(new.configuration.destinations["kept"]?.url == "http://h/")
    }

    @Test func `a watched folder that leads elsewhere waits for the next start, once`() throws {
        var changes = try changes("{}", "{}")
        changes.wait(leadingTo: ["b"], insteadOf: ["b"], keeping: [])
        #expect(changes.isEmpty)
        changes.wait(leadingTo: ["b"], insteadOf: ["a"], keeping: ["a"])
        changes.wait(leadingTo: ["b"], insteadOf: ["a"], keeping: [])
        #expect(changes.atNextStart == ["watch", "destinations.a"])
    }

    @Test func `files of a watched folder that would replace each other are an error that names the folder`()
        throws
    {
        let assembly = try assembly(
            #"""
            { "destinations": { "one": { "url": "http://h/one", "protocol": "put" } },
              "watch": [{ "folder": "/out", "to": "one" }] }
            """#)
        let failure = #expect(throws: UploadFailure.self) { try assembly.watches() }
        #expect(failure?.summary == "watch: files of /out would replace each other at one")
    }

    @Test func `a destination is known where its file was read, by whatever path, and where it is reported`()
        throws
    {
        let folder = try TemporaryDirectory()
        try folder.write([], to: "there/config.json")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("there"))
        var changes = try changes("{}", "{}")
        func isKnown(_ path: String) -> Bool {
            ReloadReport(file: folder.path(path), changes: changes, retry: [], warnings: [])
                .makesKnown("d", of: PrivateFile(folder.path("there/config.json")).path)
        }
        #expect(isKnown("link/config.json"))
        #expect(!isKnown("other.json"))
        changes.changed = ["d"]
        #expect(isKnown("other.json"))
    }

    @Test func `a report has lines for what changed, and nothing of what stayed as it was`() throws {
        var changes = try changes("{}", #"{ "limits": { "done": 1 }, "onHangUp": "continue" }"#)
        changes.added = ["a", "b"]
        changes.removed = ["c"]
        let report = ReloadReport(file: "/config.json", changes: changes, retry: [3, 4, 7], warnings: [])
        #expect(
            report.lines == [
                "/config.json was read again", "destinations: added a, b; removed c",
                "in effect now: limits", "takes effect at the next start: onHangUp",
                "3 uploads stopped for lack of a destination or credentials and may resume now: `ferry retry 3-4,7`",
            ])
        let nothing = ReloadReport(
            file: "/config.json", changes: try self.changes("{}", "{}"), retry: [], warnings: [])
        #expect(nothing.lines == ["/config.json was read again: nothing has changed"])
    }
}
