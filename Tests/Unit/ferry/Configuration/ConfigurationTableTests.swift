import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Compares the table of the configuration's keys with the code and the pages that describe them.
struct ConfigurationTableTests {
    /// Compares the page with the table, or writes the page if FERRY_WRITE_MANUAL is set.
    @Test func `the manual has a row for each key`() throws {
        let page = try ManualPage.text("configuration")
        let title = "## All keys\n\n"
        let start = try #require(page.range(of: title)).upperBound
        // A test of the catalog registers this protocol.
        let reference =
            ConfigurationReference(ConfigurationTable.root).text.replacing(", `own-protocol`", with: "")
            + "\n"
        if ProcessInfo.processInfo.environment["FERRY_WRITE_MANUAL"] != nil {
            try Data((page[..<start] + reference).utf8).write(to: ManualPage.file("configuration"))
        } else {
            #expect(page[start...] == reference, "run this test with FERRY_WRITE_MANUAL=1")
        }
    }

    @Test func `the example is a valid configuration`() throws {
        let configuration = try ConfigurationFile.parse(
            Data(ManualPage.example().utf8), file: "config.example.json")
        #expect(
            configuration.destinations.keys.sorted() == [
                "anything", "archive", "backup", "cloud", "drive", "films", "objects", "photos",
            ])
        #expect(configuration.defaultDestination == "films")
        #expect(configuration.limits.bandwidth.otherwise == .atMost(20 << 20))
    }

    @Test func `the example has all keys but some of destinations`() throws {
        let example = try JSONSerialization.jsonObject(with: Data(ManualPage.example().utf8))
        func missing(_ schema: Schema, _ value: Any?, _ path: String) -> [String] {
            if case .array(let element, _) = schema {
                return missing(element, (value as? [Any])?.first, path + "[]")
            }
            guard let object = value as? [String: Any] else { return [] }
            return schema.members.flatMap { member in
                let key = path + "." + member.name
                return object[member.name].map { missing(member.schema, $0, key) } ?? [key]
            }
        }
        let left = missing(ConfigurationTable.root, example, "").filter { !$0.hasPrefix(".hooks.") }
        #expect(left == [".$schema", ".appearance.themeFile"])
    }

    @Test func `a reload compares all keys`() {
        let compared = Set(ConfigurationChanges.keys.map { String($0.prefix { $0 != "." }) })
        let names = Set(ConfigurationTable.root.members.map(\.name))
        #expect(names.subtracting(["$schema", "destinations"]) == compared)
    }

    private func check<Settings: Decodable & Equatable>(
        _ type: Settings.Type, _ table: Schema, with required: String = ""
    ) throws {
        let defaults = table.members.compactMap { member in
            member.missing.map { "\"\(member.name)\": \($0)" }
        }
        let texts = [[], defaults].map { members in
            "{ " + ((required.isEmpty ? [] : [required]) + members).joined(separator: ", ") + " }"
        }
        let values = try texts.map { try JSONDecoder().decode(Settings.self, from: Data($0.utf8)) }
        #expect(values[0] == values[1], "\(type)")
        #expect(!defaults.isEmpty)
    }

    @Test func `a default stands for a missing key`() throws {
        try check(Configuration.self, ConfigurationTable.root)
        try check(LimitSettings.self, ConfigurationTable.limits)
        try check(RetrySettings.self, ConfigurationTable.retry)
        try check(TimeoutSettings.self, ConfigurationTable.timeouts)
        try check(ConnectivitySettings.self, ConfigurationTable.connectivity)
        try check(AppearanceSettings.self, ConfigurationTable.appearance)
        try check(NotifySettings.self, ConfigurationTable.notify)
        try check(HookSettings.self, ConfigurationTable.hooks)
        try check(S3Fields.self, ConfigurationTable.s3)
        try check(WatchSettings.self, ConfigurationTable.watch, with: #""folder": "/out""#)
        try check(
            DestinationSettings.self, ConfigurationTable.destination, with: #""url": "https://h.example/""#)
        try check(
            ProxyChoice.self, ConfigurationTable.proxy, with: #""url": "http://proxy.example:3128""#)
        try check(
            OAuth2Settings.self, ConfigurationTable.oauth2,
            with: #""tokenURL": "https://h.example/", "clientID": "a", "refreshToken": "b""#)
    }

    @Test(arguments: [
        (#"{ "bandwidth": 1 }"#, #"{ "bandwidth": 1, "from": "00:00", "to": "24:00" }"#)
    ]) func `an entry of a timetable is for the whole day without from and to`(short: String, long: String)
        throws
    {
        let limits = try [short, long].map { entry in
            try JSONDecoder().decode(
                LimitSettings.self, from: Data(#"{ "timetable": [\#(entry)] }"#.utf8))
        }
        #expect(limits[0] == limits[1])
    }
}
