import FerryProtocols
import Foundation
import Testing

@testable import FerryCommand

/// Tests the messages about invalid configurations.
struct ConfigurationErrorTests {
    /// Invalid configurations, with the messages about them.
    static let invalid: [(String, String)] = [
        (#"{ "destinations": "#, "is not valid JSON: it ends too early"),
        (
            "{\n  \"limits\": { \"concurrency\": x }\n}",
            "is not valid JSON: line 2, column 30: invalid value"
        ),
        ("", "is not valid JSON: it ends too early"),
        (
            "{\n  \"limits\": { \"concurrency\": 4, }\n}",
            "is not valid JSON: line 2, column 31: a comma before }"
        ),
        (#"[]"#, "the top level: expected an object"),
        (
            #"{ "destination": {} }"#,
            "destination: expected another key (did you mean `destinations`?), one of appearance, connectivity,"
        ),
        (#"{ "limits": { "concurrency": "4" } }"#, "limits.concurrency: expected a whole number"),
        (
            #"{ "limits": { "concurrency": 0 } }"#,
            "limits.concurrency: expected a whole number from 1 to 1000"
        ),
        (#"{ "limits": { "concurrency": 1.5 } }"#, "limits.concurrency: expected a whole number from"),
        (
            #"{ "limits": { "bandwidth": "fast" } }"#,
            "limits.bandwidth: expected an amount of bytes such as"
        ),
        (
            #"{ "limits": { "bandwidth": null } }"#,
            "limits.bandwidth: expected an amount of bytes such as"
        ),
        (#"{ "limits": null }"#, "limits: expected an object, found null"),
        (#"{ "timeouts": { "stall": -1 } }"#, "timeouts.stall: expected seconds, from 0.1 to 86400.0"),
        (#"{ "timeouts": { "stall": 1e999 } }"#, "timeouts.stall: expected seconds"),
        (
            #"{ "defaultDestination": "x" }"#,
            "defaultDestination: expected the name of one of the destinations; none is configured"
        ),
        (
            #"{ "watch": [{ "folder": "/out", "to": "x" }] }"#,
            "watch.0.to: expected an address, or the name of one of the destinations; none is configured"
        ),
        (
            #"{ "appearance": { "color": "red" } }"#,
            "appearance.color: expected one of auto, always, never, direct"
        ),
        (
            #"{ "appearance": { "theme": "pink" } }"#,
            "appearance.theme: expected one of default, light, high-contrast, mono"
        ),
        (
            #"{ "keys": { "remov": ["d"] } }"#,
            "keys.remov: expected the name of an action (did you mean `remove`?); `ferry config --keys` lists all"
        ),
        (
            #"{ "keys": { "details.retry": ["j"] } }"#,
            "keys.details.retry: expected keys that nothing else has there: j is bound to details.next too"
        ),
        (#"{ "keys": { "remove": "d" } }"#, "keys.remove: expected a list"),
        (
            #"{ "appearance": { "theme": "light", "themeFile": "~/mine.json" } }"#,
            "appearance.themeFile: expected theme or themeFile, not both"
        ),
        (
            #"{ "hooks": { "done": "notify-send Ferry" } }"#,
            "hooks.done: expected a program and its arguments, each a text of its own, as no shell takes them apart"
        ),
        (#"{ "hooks": { "done": [] } }"#, "hooks.done: expected a program and its arguments"),
        (#"{ "hooks": { "done": [["a"], []] } }"#, "hooks.done: expected a program and its arguments"),
        (#"{ "hooks": { "idle": ["a", ["b"]] } }"#, "hooks.idle: expected a program and its arguments"),
        (#"{ "hooks": { "idle": [""] } }"#, "hooks.idle: expected a program and its arguments"),
        (#"{ "hooks": { "idle": ["a\u0000b"] } }"#, "hooks.idle: expected a program and its arguments"),
        (#"{ "hooks": { "idle": null } }"#, "hooks.idle: expected a program and its arguments"),
        (
            #"{ "hooks": { "finished": ["a"] } }"#,
            "hooks.finished: expected one of done, failed, held, idle,"
        ),
        (#"{ "hooks": { "timeout": 0 } }"#, "hooks.timeout: expected seconds, from 0.1 to 3600.0"),
        (#"{ "notify": { "terminal": "beep" } }"#, "notify.terminal: expected one of none, bell, osc9"),
        (
            #"{ "notify": { "on": ["idle", "finished"] } }"#,
            "notify.on: expected a list of some of done, failed, held, idle, offline, online, notSaved"
        ),
        (#"{ "notify": { "on": [] } }"#, "notify.on: expected a list of some of done,"),
        (#"{ "hooks": ["a"] }"#, "hooks: expected an object"),
        (#"{ "connectivity": { "monitor": "yes" } }"#, "connectivity.monitor: expected true or false"),
        (
            #"{ "destinations": { "a": { "protocol": "put" } } }"#,
            "destinations.a.url: expected an http or https address"
        ),
        (
            #"{ "destinations": { "a": { "url": "ftp://h/", "protocol": "put" } } }"#,
            "destinations.a.url: expected an http or https address"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://u:p@h/", "protocol": "put" } } }"#,
            "destinations.a.url: expected an address without user and password"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "ftp" } } }"#,
            "destinations.a.protocol: expected one of "
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "headers": { "X Y": "1" } } } }"#,
            "destinations.a.headers.X Y: expected a valid field name"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "headers": { "X": "a\r\nB: c" } } } }"#,
            "destinations.a.headers.X: expected a value without line breaks"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "auth": { "bearer": { "var": "X" } } } } }"#,
            "destinations.a.auth.bearer.var: expected one of command, env, file, not this key"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "auth": { "bearer": "x", "basic": {} } } } }"#,
            "destinations.a.auth.bearer: expected one kind of auth: basic, bearer, oauth2 or s3"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "auth": { "oauth2": {} } } } }"#,
            "destinations.a.auth.oauth2.tokenURL: expected an https address (http only on this machine)"
        ),
        (
            Self.oauth2(#""tokenURL": "http://h/token", "clientID": "c", "refreshToken": "r""#),
            "destinations.a.auth.oauth2.tokenURL: expected an https address (http only on this machine)"
        ),
        (
            Self.oauth2(#""tokenURL": "https://h/token", "refreshToken": "r""#),
            "destinations.a.auth.oauth2.clientID: expected the name that the server knows this program by"
        ),
        (
            Self.oauth2(#""tokenURL": "https://h/token", "clientID": "c""#),
            "destinations.a.auth.oauth2.refreshToken: expected {\"env\": \"NAME\"}"
        ),
        (
            Self.oauth2(
                #""tokenURL": "https://h/token", "clientID": "c", "refreshToken": "r", "tokenFile": "t""#),
            "destinations.a.auth.oauth2.tokenFile: expected the absolute path of a file"
        ),
        (
            Self.oauth2(
                #""tokenURL": "https://h/token", "clientID": "c", "refreshToken": "r", "clientAuthentication": "jwt""#
            ),
            "destinations.a.auth.oauth2.clientAuthentication: expected one of basic, body"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "tls": { "key": "k" } } } }"#,
            "destinations.a.tls.certificate: expected both certificate and key, or neither"
        ),
        (
            #"{ "destinations": { "a": { "url": "https://h/", "protocol": "put", "tls": { "caFile": "a", "authorities": "b" } } } }"#,
            "destinations.a.tls.authorities: expected caFile alone: authorities is its former name"
        ),
        (
            #"{ "destinations": { "a": { "url": "https://h/", "protocol": "put", "tls": { "pins": ["x"] } } } }"#,
            #"destinations.a.tls.pins: expected the SHA-256 of a public key, as "sha256//" and 44 characters"#
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "tls": { "pins": ["sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="] } } } }"#,
            "destinations.a.tls.pins: expected an https address in url"
        ),
        (
            #"{ "destinations": { "a": { "url": "https://h/", "protocol": "put", "tls": { "minimumVersion": "1.1" } } } }"#,
            "destinations.a.tls.minimumVersion: expected one of 1.2, 1.3"
        ),
        (
            #"{ "destinations": { "a": { "url": "https://h/", "protocol": "put", "tls": { "insecure": "yes" } } } }"#,
            "destinations.a.tls.insecure: expected true or false"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://[fe80::1%25eth0]/", "protocol": "put" } } }"#,
            "destinations.a.url: expected an IPv6 address without a zone"
        ),
        (
            #"{ "destinations": { "a": { "url": "http+unix://run/", "protocol": "put" } } }"#,
            "destinations.a.url: expected the socket's absolute path"
        ),
        (
            #"{ "destinations": { "d": { "url": "http://h/", "congestionControl": "BBR" } } }"#,
            "destinations.d.congestionControl: expected an algorithm of the kernel"
        ),
        (
            #"{ "connectivity": { "monitor": false, "metered": "pause" } }"#,
            "connectivity.monitor: expected true, for metered or pauseOn to be watched"
        ),
        (#"{ "proxy": "off" }"#, #"proxy: expected "none", "environment" or an address such as"#),
        (
            #"{ "proxy": "https://p:1" }"#,
            "proxy: expected a proxy's address; the proxy https://p:1 cannot be used"
        ),
        (#"{ "proxy": "http://me:geheim@p:1" }"#, "proxy: expected an address without a password"),
        (#"{ "proxy": { "password": { "env": "X" } } }"#, "proxy.url: expected an address such as"),
        (
            #"{ "proxy": { "url": "http://p:1", "password": { "env": "X" } } }"#,
            "proxy.url: expected an address with the password's user"
        ),
        (
            #"{ "proxy": { "url": "http://p:1", "exept": [] } }"#,
            "proxy.exept: expected another key (did you mean `except`?), one of except, password, url"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "proxy": 1 } } }"#,
            "destinations.a.proxy: expected an object"
        ),
    ]

    private static func oauth2(_ settings: String) -> String {
        #"{ "destinations": { "a": { "url": "http://h/", "protocol": "put", "auth": { "oauth2": { \#(settings) } } } } }"#
    }

    @Test(arguments: invalid)
    func `an error is reported with file, position and what is expected`(text: String, message: String) {
        let failure = #expect(throws: UploadFailure.self) {
            try ConfigurationFile.parse(Data(text.utf8), file: "/etc/config.json")
        }
        #expect(failure?.summary.hasPrefix("/etc/config.json") == true)
        #expect(failure?.summary.contains(message) == true, "\(failure?.summary ?? "")")
        #expect(failure?.hint != nil)
    }
}
