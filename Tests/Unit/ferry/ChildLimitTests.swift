import FerryFiles
import Foundation
import Testing

@testable import FerryCommand

/// The texts that other programs get, and the part of their output that is kept.
struct ChildLimitTests {
    @Test(arguments: [(4096, 4096), (4097, 4096)])
    func `the last 4 KiB of a command's standard error are kept`(printed: Int, kept: Int) async throws {
        let command = ChildCommand(
            words: ["sh", "-c", "head -c \(printed - 3) /dev/zero >&2; printf end >&2"],
            environment: ChildCommand.environment(["PATH"]))
        let complaint = try await command.run(upTo: .seconds(60)).complaint
        #expect(complaint.count == kept)
        #expect(complaint.suffix(3) == Data("end".utf8))
    }

    @Test func `a notification of the desktop has 200 characters at most`() {
        let text = String(repeating: "n", count: 201)
        #expect(NotifySettings.desktopCommand(text).words.last == String(text.dropLast()))
    }
}
