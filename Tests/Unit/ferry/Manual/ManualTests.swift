import FerryFiles
import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

struct ManualTests {
    @Test func `the binary has each page as it is in the folder`() throws {
        let pages = try ManualPage.all().filter { !$0.name.hasPrefix("README") }
        #expect(Set(ManualTopic.all.map(\.name)) == Set(pages.map { $0.name.replacing(".md", with: "") }))
        for topic in ManualTopic.all {
            #expect(topic.text == (try ManualPage.text(topic.name)), "\(topic.name)")
        }
    }

    @Test func `the table of contents lists the pages in their order`() throws {
        let listed = try ManualPage.text("README").matches(of: /\[(\w+)\]\((\w+)\.md\)/)
        #expect(listed.map { String($0.output.1) } == ManualTopic.all.map(\.name))
        #expect(listed.allSatisfy { $0.output.1 == $0.output.2 })
    }

    @Test func `the page for scripts explains the exit statuses of failures`() throws {
        let rows = try ManualPage.text("scripts").matches(of: /(?m)^\| ([\d, ]*\d) \| .* \|$/)
        let explained = rows.map { String($0.output.1) }
        for status in [
            CommandFailure.usage, CommandFailure.nothingRuns, CommandFailure.queueInUse,
            128 + Signal.interrupt,
        ] {
            #expect(explained.contains("\(status)"), "\(status)")
        }
    }

    @Test func `no topic is a command too`() {
        #expect(Set(ManualTopic.commands).isDisjoint(with: ManualTopic.all.map(\.name)))
    }

    @Test func `a page is plain text that fits 80 columns, but for code, tables' labels and long words`()
        throws
    {
        for topic in ManualTopic.all {
            let text = try #require(try ManualTopic.text(for: ["help", topic.name], columns: 80))
            #expect(text.hasPrefix(topic.title.uppercased() + "\n"), "\(topic.name)")
            #expect(!text.contains("```") && !text.contains("\n|") && !text.contains("]("), "\(topic.name)")
            let long = text.split(separator: "\n").filter {
                $0.count > 80 && !$0.hasPrefix("    ") && $0.contains(". ")
            }
            #expect(long.isEmpty, "\(topic.name): \(long)")
        }
    }

    @Test func `paragraphs, lists, tables and code are set apart`() {
        let page = """
            # A title

            One two
            three [four](five.md).

            - An item that
              goes on.
            - Another.

            | key | action |
            | --- | --- |
            | `a` | add files to it |
            | `b\\|c` | more |

            ```sh
            ferry add  film.mov
            ```
            """
        let expected = """
            A TITLE

            One two three
            four.

            - An item that
              goes on.
            - Another.

            `a`    add files
                   to it
            `b|c`  more

                ferry add  film.mov
            """
        let text = PageText(columns: 16).text(of: page)
        #expect(text == expected)
    }

    @Test func `a wide table has a line for each further cell`() {
        let page = "| name | size | kind |\n| --- | --- | --- |\n| `a` | 1 | |\n| `b` | 2 | x |"
        #expect(PageText(columns: 40).text(of: page) == "`a`\n    size: 1\n`b`\n    size: 2\n    kind: x")
    }

    @Test(arguments: [
        ["help"], ["help", "add"], ["help", "--help"], ["list"], ["help", "state", "verify"],
    ])
    func `the help of commands is the parser's`(arguments: [String]) throws {
        #expect(try ManualTopic.text(for: arguments, columns: 80) == nil)
    }
}
