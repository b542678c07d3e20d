import FerryTransfer
import Foundation
import Testing

@testable import FerryCommand

/// Tests relative paths of the configuration. They begin in the home folder.
struct RelativePathTests {
    @Test func `a relative path of the configuration is below home, wherever Ferry starts`() throws {
        let text = #"""
            { "destinations": { "here": {
                "url": "https://h.example/", "auth": { "bearer": { "file": "tok" } },
                "tls": { "caFile": "ca.pem", "certificate": "own.pem", "key": "own.key" } } },
              "appearance": { "themeFile": "mine.json" } }
            """#
        let configuration = try ConfigurationFile.parse(Data(text.utf8), file: "config.json")
        let here = try #require(configuration.destinations["here"])
        let home = LocalFiles.home
        #expect(here.authentication == .bearer(.file("\(home)/tok")))
        #expect(here.tls.caFile == "\(home)/ca.pem")
        #expect(here.tls.certificate == "\(home)/own.pem")
        #expect(here.tls.key == "\(home)/own.key")
        #expect(configuration.appearance.theme == .file("\(home)/mine.json"))
    }

    @Test(arguments: [
        ("pass", "pass"), ("/bin/x", "/bin/x"), ("bin/x", "HOME/bin/x"), ("~/x", "HOME/x"),
        ("./x", "HOME/./x"),
        ("LANG=C", "LANG=C"), ("PATH=/bin", "PATH=/bin"), ("a/b=c", "HOME/a/b=c"),
    ])
    func `the program of a command is a name, a variable or a path from home`(word: String, program: String) {
        #expect(LocalFiles.program(word) == program.replacing("HOME", with: LocalFiles.home))
    }
}
