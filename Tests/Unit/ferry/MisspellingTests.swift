import FerryProtocols
import Foundation
import Testing

@testable import FerryCommand

/// Tests the suggestions for mistyped commands, options and words of the configuration.
struct MisspellingTests {
    @Test(arguments: [
        (["delete", "3"], "`ferry remove`"), (["cancel"], "`ferry remove`"), (["rm", "3"], "`ferry remove`"),
        (["kill"], "`ferry stop` or `ferry remove`"), (["quit"], "`ferry stop`"), (["exit"], "`ferry stop`"),
        (["logs"], "`ferry history`"), (["log"], "`ferry history`"), (["ls"], "`ferry list`"),
        (["start"], "`ferry run`"), (["upload", "a"], "`ferry add` or `ferry run`"),
        (["send", "a"], "`ferry add` or `ferry run`"), (["cp", "a"], "`ferry add`"), (["put"], "`ferry add`"),
        (["satte"], "`ferry state`"), (["state", "verfy"], "`ferry state verify`"),
    ])
    func `a command of another program leads to Ferry's`(words: [String], meant: String) throws {
        let failure = try #require(Misspelling.ofCommand(in: words))
        #expect(failure.hint == "did you mean \(meant)?")
    }

    @Test func `a command without a similar name leads to the list of commands`() throws {
        #expect(
            try #require(Misspelling.ofCommand(in: ["zzzzzz"])).hint == "`ferry --help` lists the commands")
        let inner = try #require(Misspelling.ofCommand(in: ["state", "zzzzzz"]))
        #expect(inner.summary == "there is no command 'zzzzzz'")
        #expect(inner.hint == "`ferry state --help` lists the commands")
    }

    @Test(arguments: [
        ["state", "verify"], ["state"], ["state", "--help"], ["list", "verfy"], ["help"], [],
    ])
    func `a word that is no misspelled command is left to the parser`(words: [String]) {
        #expect(Misspelling.ofCommand(in: words)?.summary == nil)
    }

    @Test(arguments: [
        (["add", "--dest", "films"], "--to"), (["add", "--destination", "films"], "--to"),
        (["limit", "--dest", "films"], "--to"), (["add", "--name", "x"], "--as"),
        (["serve", "--port", "80"], "--bind"), (["serve", "--dir", "in"], "--directory"),
    ])
    func `another word for an option leads to it`(words: [String], meant: String) {
        let message = "Error: Unknown option '\(words[1])'. Did you mean '--batch'?\nUsage: …"
        let lines = Misspelling.lines(of: message, arguments: words)
        #expect(lines == ["error: unknown option '\(words[1])'", "hint: did you mean `\(meant)`?"])
    }

    @Test(
        arguments: [
            (["add", "-dash.txt"], "-dash.txt", "`ferry add ./-dash.txt` queues a file of that name"),
            (["add", "a", "-my file"], "-my file", "`ferry add './-my file'` queues a file of that name"),
            (["add", "-r", "-üh", "--", "a"], "-üh", "`ferry add ./-üh` queues a file of that name"),
            (["add", "-2026-01-01.mov"], "-2026-01-01.mov", nil),
            (["wait", "-all"], "-all", "options of several letters begin with two dashes"),
        ] as [([String], String, String?)])
    func `a word that begins with one dash and is no option is named`(
        words: [String], word: String, hint: String?
    ) throws {
        let failure = try #require(Misspelling.ofOption(in: words))
        #expect(failure.status == CommandFailure.usage)
        #expect(failure.summary == "unknown option '\(word)'")
        if let hint { #expect(failure.hint == hint) }
    }

    @Test(arguments: [
        ["add", "-r", "a"], ["add", "-ry0"], ["add", "-"], ["add", "--", "-dash.txt"],
        ["add", "./-dash.txt"],
        ["wait", "--timeout", "-5"], ["wait", "--timeout", "-0.5"], ["list", "-h"], ["-help"], ["add", "-x"],
        ["add", "--as=-dash.txt"], ["---completion", "add", "--", "-dash.txt"], [],
    ])
    func `short options, numbers and what follows two dashes are left to the parser`(words: [String]) {
        #expect(Misspelling.ofOption(in: words)?.summary == nil)
    }

    @Test func `all short options of the commands are known`() throws {
        let names = Set(try HelpPage.all().flatMap(\.shortOptions))
        #expect(names.union(["h"]) == Set(Misspelling.shortOptions.map { String($0) }))
    }

    @Test func `the parser's suggestion is kept, but for a former name`() {
        let near = "Error: Unknown option '--al'. Did you mean '--all'?"
        #expect(
            Misspelling.lines(of: near, arguments: ["list"])
                == ["error: unknown option '--al'", "hint: did you mean `--all`?"])
        let former = "Error: Unknown option '--stat'. Did you mean '--state'?"
        #expect(
            Misspelling.lines(of: former, arguments: ["pause"]).last == "hint: did you mean `--state-dir`?")
        #expect(Misspelling.lines(of: former, arguments: ["list"]).last == "hint: did you mean `--state`?")
    }

    @Test func `the parser's help for a value and its page are one hint`() {
        let message = """
            Error: The value 'abc' is invalid for '--timeout <time>'
            Help:  --timeout <time>  Wait at most this long.
            Usage: ferry wait [<ids> ...]
              See 'ferry wait --help' for more information.
            """
        #expect(
            Misspelling.lines(of: message, arguments: ["wait"]) == [
                "error: the value 'abc' is invalid for '--timeout <time>'",
                "hint: --timeout <time> Wait at most this long. `ferry wait --help` explains the command",
            ])
    }

    @Test(arguments: [
        (#"{ "appearance": { "color": "alwyas" } }"#, "auto, always, never, direct (did you mean `always`?)"),
        (
            #"{ "appearance": { "theme": "lihgt" } }"#,
            "default, light, high-contrast, mono (did you mean `light`?)"
        ),
        (
            #"{ "destinations": { "a": { "url": "http://h/", "protocol": "tuss" } } }"#,
            "(did you mean `tus`?)"
        ),
        (#"{ "notify": { "on": ["idel"] } }"#, "(did you mean `idle`?)"),
        (
            #"{ "destinations": { "films": { "url": "http://h/" } }, "defaultDestination": "flims" }"#,
            "the name of one of the destinations (films); did you mean `films`?"
        ),
        (
            #"{ "destinations": { "films": { "url": "http://h/" } }, "watch": [{ "folder": "/o", "to": "film" }] }"#,
            "the name of one of the destinations (films); did you mean `films`?"
        ),
    ])
    func `a mistyped word of the configuration leads to the nearest one`(text: String, ending: String) {
        #expect {
            try ConfigurationFile.parse(Data(text.utf8), file: "config.json")
        } throws: { error in
            (error as? UploadFailure)?.summary.hasSuffix(ending) ?? false
        }
    }

    @Test func `a mistyped key of the configuration leads to the nearest one before the list`() {
        #expect {
            let data = Data(#"{ "destinations": { "a": { "ulr": "http://h/" } } }"#.utf8)
            return try ConfigurationFile.parse(data, file: "config.json")
        } throws: { error in
            (error as? UploadFailure)?.summary.contains(
                "a.ulr: expected another key (did you mean `url`?), one of auth, ") ?? false
        }
    }

    @Test func `a destination that stands twice in the configuration is an error with its position`() {
        let data = Data(#"{ "destinations": { "a": {}, "b": {},"#.utf8) + Data("\n \"a\": {} } }".utf8)
        #expect(
            ConfigurationFile.syntaxError(in: data)?.text(in: data)
                == "line 2, column 2: the name \"a\" is there twice")
        let fine = Data(#"{ "a": { "x": 1 }, "b": { "x": 1, "a": [{ "x": 1 }, { "x": 2 }] } }"#.utf8)
        #expect(ConfigurationFile.syntaxError(in: fine) == nil)
    }

    @Test func `text that is not UTF-8 is left to the decoder`() throws {
        for encoding in [String.Encoding.utf16, .utf16BigEndian] {
            #expect(ConfigurationFile.syntaxError(in: try #require("{}".data(using: encoding))) == nil)
        }
    }
}
