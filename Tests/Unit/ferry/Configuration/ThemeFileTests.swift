import FerryProtocols
import FerryTUI
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Tests valid and invalid themes, with the messages about them.
struct ThemeFileTests {
    private static func theme(_ text: String) throws -> Theme {
        let file: ThemeFile = try ConfigurationFile.decode(Data(text.utf8), file: "t", example: "")
        return file.theme
    }

    @Test(arguments: Theme.builtIn.map(\.key))
    func `a file that says only its base is that theme`(name: String) throws {
        let theme = try Self.theme(#"{ "base": "\#(name)" }"#)
        #expect(ThemeChoice.builtIn(theme) == ThemeChoice(name))
    }

    @Test func `a theme keeps the default base's values for the members that it omits`() throws {
        var expected = Theme.standard
        expected[.done].colour.basic = 4
        #expect(try Self.theme(#"{ "roles": { "done": { "basic": 4 } } }"#) == expected)
    }

    @Test func `a colour of the 256 and an exact colour are derived from each other`() throws {
        let theme = try Self.theme(
            ##"""
            { "background": { "full": 234 }, "cursorLine": { "rgb": "#5fafff" },
              "roles": { "done": { "full": 1, "rgb": "#102030" } } }
            """##)
        #expect(theme.background.full == 234 && theme.background.exact == RGB("#1c1c1c"))
        #expect(theme.cursorLine.full == 75 && theme.cursorLine.exact == RGB("#5fafff"))
        #expect(theme[.done].colour.full == 1 && theme[.done].colour.exact == RGB("#102030"))
    }

    @Test func `null is the terminal's own colour`() throws {
        let theme = try Self.theme(
            #"{ "cursorLine": { "rgb": null }, "roles": { "done": { "full": null, "basic": null } } }"#)
        #expect(theme.cursorLine.full == nil && theme.cursorLine.exact == nil)
        let done = theme[.done].colour
        #expect(done.basic == nil && done.full == nil && done.exact == nil)
    }

    @Test func `attributes are put on and taken off, and those of the base stay`() throws {
        let theme = try Self.theme(
            #"{ "base": "high-contrast", "roles": { "dim": { "bold": true, "reverse": false } } }"#)
        #expect(theme[.dim].added == .bold)
        #expect(theme[.dim].removed == [.dim, .reverse])
        let dimmed = try Self.theme(#"{ "base": "high-contrast", "roles": { "dim": { "dim": true } } }"#)
        #expect(dimmed[.dim].added == .dim && dimmed[.dim].removed == [])
    }

    @Test(
        arguments: [
            (
                #"{ "roles": { "runing": {} } }"#,
                "t: roles.runing: expected another key (did you mean `running`?), one of banner, bar, barRest,"
            ),
            (#"{ "colors": {} }"#, "t: colors: expected one of background, base, cursorLine, roles"),
            (#"{ "base": "pink" }"#, "t: base: expected one of default, light, high-contrast, mono"),
            (#"{ "base": "./other.json" }"#, "t: base: expected one of default, light"),
            (
                #"{ "roles": { "done": { "basic": 16 } } }"#,
                "t: roles.done.basic: expected a whole number from 0 to 15"
            ),
            (
                #"{ "roles": { "done": { "full": -1 } } }"#,
                "t: roles.done.full: expected a whole number from 0 to 255"
            ),
            (
                #"{ "roles": { "done": { "rgb": "red" } } }"#,
                ##"t: roles.done.rgb: expected a colour such as "#5fafff""##
            ),
            (
                ##"{ "roles": { "done": { "rgb": "#12345" } } }"##,
                "t: roles.done.rgb: expected a colour such as"
            ),
            (
                ##"{ "roles": { "done": { "rgb": "#+12345" } } }"##,
                "t: roles.done.rgb: expected a colour such as"
            ),
            (#"{ "roles": { "done": { "bold": 1 } } }"#, "t: roles.done.bold: expected true or false"),
            (
                #"{ "roles": { "done": { "blink": true } } }"#,
                "t: roles.done.blink: expected one of basic, bold, dim,"
            ),
            (
                #"{ "background": { "bold": true } }"#,
                "t: background.bold: expected one of basic, full, rgb, not this key"
            ),
            (#"{ "roles": "#, "t is not valid JSON: it ends too early"),
        ])
    func `an error names the file, the key and what is expected there`(text: String, summary: String) {
        #expect { _ = try Self.theme(text) } throws: { error in
            guard let failure = error as? UploadFailure else { return false }
            return failure.summary.hasPrefix(summary)
        }
    }

    @Test func `the theme in the manual is one`() throws {
        let text = try ManualPage.text("appearance")
        let block = try #require(text.firstMatch(of: /```json\n(\{\n +"base"[^`]*)```/)?.output.1)
        let theme = try Self.theme(String(block))
        #expect(theme[.failed].added == .underline)
        for role in Role.allCases { #expect(text.contains("`\(role.name)`"), "\(role.name)") }
    }
}
