import ArgumentParser
import FerryUploads

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Check, export or flush the queue's files.",
        discussion: """
              ferry state verify
              ferry state export queue.json
            """,
        subcommands: [Verify.self, Flush.self, Export.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check the files of the queue without changing any.",
            discussion: """
                Exit status: 0 all good, 1 something is damaged, edited, missing or too new.

                  ferry state verify
                  ferry state verify --state-dir /backup/ferry
                """)

        @Flag(help: "One JSON object.") var json = false
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let report = try global.inspection().verify()
            let folder = global.stateFolder.text
            print(
                json
                    ? VerifiedLine(report: report, folder: folder).json
                    : StateText.lines(report, folder: folder).joined(separator: "\n"))
            if !report.problems.isEmpty { throw ExitCode(1) }
        }
    }

    struct Flush: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "flush", abstract: "Bring queue.json up to date, so that it alone is the queue.",
            discussion: """
                `queue.json` may then be edited or copied while no engine runs.

                  ferry stop && ferry state flush
                """)

        @Flag(help: "One JSON object.") var json = false
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            _ = try await global.access().perform(.flush)
            let file = global.stateFolder.text + "/queue.json"
            print(json ? FlushedLine(file: file).json : "\(SafeLine.text(file)) holds the whole queue")
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Print the whole queue as one JSON document.",
            discussion: """
                The document is a queue.json, complete without any other file: in an empty folder it is the queue \
                again. Nothing is changed; a queue that is in use, of a newer version or damaged can be exported too. \
                Exit status: 1 if something is missing from it.

                  ferry state export queue.json
                  ferry state export | gzip > queue.json.gz
                """)

        @Argument(
            help: "A file that is not there yet; without it the document is printed.", completion: .file())
        var file: String?
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let reading = try global.inspection().read()
            let output = try ExportOutput(file)
            try reading.export { output.write($0) }
            try output.finish()
            for notice in reading.recovered.notices where notice != .acceptedEdit {
                StandardError.note(notice.summary)
            }
            if reading.notUnderstood > 0 {
                StandardError.warn("\(reading.notUnderstood) records are not understood and left out")
            }
            guard let problem = reading.problem else { return }
            let rest = if case .damaged = problem { "; what follows is left out" } else { "" }
            StandardError.warn(problem.summary + rest)
            throw ExitCode(1)
        }
    }
}

extension GlobalOptions {
    fileprivate func inspection() throws -> StateInspection {
        if let directory = try StateDirectory(reading: stateFolder) { return StateInspection(directory) }
        throw CommandFailure(
            status: 1, summary: "there is no queue in \(stateFolder.text)",
            hint: "name the folder of one with --state-dir")
    }
}
