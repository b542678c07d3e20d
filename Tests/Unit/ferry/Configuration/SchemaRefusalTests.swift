import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Compares the configuration's schema with the reader: the schema must refuse exactly what Ferry refuses.
struct SchemaRefusalTests {
    private func issue(in text: String) throws -> String? {
        ConfigurationTable.root.issue(in: try JSONSerialization.jsonObject(with: Data(text.utf8)))
    }

    private func isRead(_ text: String) -> Bool {
        (try? ConfigurationFile.parse(Data(text.utf8), file: "config.json")) != nil
    }

    /// The messages of errors that concern several members. The schema does not describe them.
    private static let togetherness = [
        "is not valid JSON", "one of the destinations", "that nothing else has there",
        "theme or themeFile, not both",
        "one kind of auth", "certificate and key, or neither", "an https address in url", "to be watched",
        "the password's user", "timeouts.stall: expected seconds",
    ]

    @Test(
        arguments: ConfigurationErrorTests.invalid.filter { invalid in
            !togetherness.contains { invalid.1.contains($0) }
        })
    func `the schema refuses the errors that the reader finds in single members`(
        text: String, message: String
    ) throws {
        #expect(try issue(in: text) != nil, "\(message)")
    }

    private static func destination(_ members: String) -> String {
        #"{ "destinations": { "d": { \#(members) } } }"#
    }
    private static func timetable(_ entry: String) -> String {
        #"{ "limits": { "timetable": [{ \#(entry) }] } }"#
    }
    private static func watch(_ members: String) -> String {
        #"{ "watch": [{ "folder": "/out"\#(members) }] }"#
    }

    private static let refused: [String] =
        ["0", "0M", "-1", "M", "1X", "1 2X", "5I", "", "."].map {
            #"{ "limits": { "bandwidth": "\#($0)" } }"#
        }
        + ["0", "-5", "[]"].map { #"{ "limits": { "bandwidth": \#($0) } }"# }
        + ["", "mon,", "mon-", "mon-wed-fri", "monday", "fry", "mon;tue"].map {
            timetable(#""days": "\#($0)", "bandwidth": 1"#)
        }
        + [#""from": "24:00""#, #""from": "8:00""#, #""to": "24:01""#].map {
            timetable($0 + #", "bandwidth": 1"#)
        }
        + [
            "ftp://h/", "//h/", "h/in/", "http://", "https:///in/", "http://u@h/", "http://u:p@h/",
            "http+unix://run/",
        ].map {
            destination(#""url": "\#($0)""#)
        }
        + [
            #""method": "P T""#, #""headers": { "A:": "b" }"#, #""headers": { "": "b" }"#,
            #""congestionControl": """#,
        ].map {
            destination(#""url": "http://h/", \#($0)"#)
        }
        + [
            #", "include": [""]"#, #", "exclude": [1]"#, #", "settle": 0"#, #", "after": "burn""#,
            #", "after": { "move": "~ann" }"#,
        ].map(watch)
        + [#"["ctrl-"]"#, #"["Ctrl-1"]"#, #"["F13"]"#, #"["dd"]"#, #"[" "]"#, #"[""]"#, #"[1]"#].map {
            #"{ "keys": { "remove": \#($0) } }"#
        }
        + [
            #"{ "keys": { "remov": [] } }"#, #"{ "watch": [{ "folder": "~ann/out" }] }"#,
            #"{ "proxy": "p:1" }"#,
        ]
        + [#"{ "proxy": "http://a:b@p:1" }"#, #"{ "proxy": { "url": "socks4://p:1" } }"#]

    @Test(arguments: refused)
    func `a value that the reader refuses the schema refuses too`(text: String) throws {
        #expect(!isRead(text), "the reader takes it")
        #expect(try issue(in: text) != nil)
    }

    private static let taken: [String] =
        ["1", "20M", "1.5 MB/s", " 800 k ", "5iB", "0.5G", "2T", "1P", ".5M", "10.", "007K"].map {
            #"{ "limits": { "bandwidth": "\#($0)" } }"#
        }
        + ["mon", "MON-Wed, thu", "fri-mon", " sat , sun ", "sun-sun"].map {
            timetable(#""days": "\#($0)", "bandwidth": "off""#)
        }
        + [
            "http://h", "HTTPS://h.example:8443/in/{name}?a=b@c", "https://[::1]:9/x/",
            "http+unix://%2Frun%2Fa.sock/",
            "https://h/a@b", "https://h?x", "http://h%61/",
        ].map { destination(#""url": "\#($0)""#) }
        + [
            #""url": "s3://bucket/folder/", "protocol": "s3""#,
            #""url": "https://h/", "headers": { "X-A_b": "tab\tand ä" }, "method": "PATCH""#,
            #""url": "https://h/", "proxy": "SOCKS5h://p:1/""#,
            #""url": "https://h/", "proxy": { "url": "p:1" }"#,
            #""url": "https://h/", "proxy": { "url": "http://me@p:1", "password": { "env": "X" } }"#,
            #""url": "https://h/", "auth": { "bearer": { "command": ["pass", ""] } }"#,
            #""url": "https://h/", "auth": { "oauth2": { "tokenURL": "http://localhost:8/t?x", "clientID": "c", "refreshToken": "r", "tokenFile": "~/t" } }"#,
        ].map(destination)
        + [
            "", #", "include": ["*.mov"], "settle": 0.1, "recursive": true"#,
            #", "after": { "move": "~/sent" }"#,
        ].map(watch)
        + [
            #"{ "watch": [{ "folder": "~" }] }"#,
            #"{ "hooks": { "done": [["a", ""], ["b"]], "idle": ["c", ""] } }"#,
        ]
        + ["é", "日", "Ctrl-t", "alt-X", "f12"].map { #"{ "keys": { "changeGraph": ["\#($0)"] } }"# }
        + [
            #"{ "keys": { "remove": ["Delete"], "pageDown": ["pgdn"], "moveUp": ["SHIFT-up"], "mark": ["space"] } }"#
        ]

    @Test(arguments: taken)
    func `a value that the reader takes the schema takes too`(text: String) throws {
        #expect(isRead(text), "the reader refuses it")
        #expect(try issue(in: text) == nil)
    }

    @Test func `the example fits`() throws {
        #expect(try issue(in: ManualPage.example()) == nil)
    }
}
