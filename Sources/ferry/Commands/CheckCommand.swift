import ArgumentParser
import FerryProtocols
import FerryUploads

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask destinations what they can do.",
        discussion: """
            No file is uploaded. At a tus server, an empty upload is made and deleted again, if the server deletes \
            uploads. The next uploads use the findings.

            Exit status: 0 no problem, 1 a problem, 2 wrong usage or configuration.

              ferry check films
              ferry check tus+https://uploads.example.org/files/
              ferry check films --remove-leftovers --older-than 2d
            """)

    @Argument(
        help: "Destinations' names, or addresses as for `add --to`; without any, all destinations.",
        completion: ShellCompletion.destinations)
    var destinations: [String] = []

    @Flag(help: "Delete unfinished uploads left behind there.") var removeLeftovers = false

    @Option(help: ArgumentHelp("Only leftovers older than this, such as 12h or 2d.", valueName: "time"))
    var olderThan: TimeSpan?

    @Flag(help: "Delete without asking.") var yes = false
    @Flag(help: "One JSON object a line.") var json = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try require(
            removeLeftovers || !yes && olderThan == nil, "--older-than and --yes go with --remove-leftovers.")
    }

    func run() async throws {
        let assembly = try global.assembly()
        let isTerminal = StandardStream.input.isTerminal && StandardStream.output.isTerminal
        guard !removeLeftovers || yes || !json && isTerminal else {
            throw CommandFailure(
                usage: "cannot ask whether to delete the leftovers: no terminal", hint: "add --yes")
        }
        for warning in assembly.configuration.warnings { StandardError.warn(warning) }
        let runner = assembly.runner(
            rateLimit: RateLimit(), monitors: [TransferLog(folder: global.stateFolder)])
        let isFine = await Result.awaiting {
            try await check(try await targets(assembly, runner), by: runner)
        }
        await runner.shutdown()
        if try !isFine.get() { throw ExitCode(1) }
    }

    private func check(_ targets: [Destination], by runner: DestinationRunner) async throws -> Bool {
        // The checks run at the same time. A slow server delays only its own line and those after it.
        let asked = targets.map { target in Task { await CheckResult(of: target, by: runner) } }
        var results: [CheckResult] = []
        for task in asked {
            var result = await task.value
            if removeLeftovers {
                if !result.leftovers.isEmpty { try await markOwn(&result) }
                if !json { print(CheckText.head(result), terminator: "") }
                await remove(&result, by: runner)
            } else if !result.leftovers.isEmpty {
                try? await markOwn(&result)
            }
            print(
                json
                    ? CheckLine(result: result).json
                    : CheckText.block(result, headed: removeLeftovers, namesNone: removeLeftovers))
            results.append(result)
        }
        return results.allSatisfy(\.isFine)
    }

    /// Returns the destinations that the user named; otherwise all configured ones, and the URLs at which removed
    /// uploads may have left bytes. Throws for an unknown name, or if there is nothing to check.
    private func targets(
        _ assembly: Assembly, _ runner: DestinationRunner
    ) async throws(UploadFailure) -> [Destination] {
        var targets: [Destination] = []
        for name in destinations { targets.append(try assembly.destination(name)) }
        if destinations.isEmpty { targets = assembly.destinations + (await runner.abandonedAddresses()) }
        if targets.isEmpty { targets = [try assembly.destination(nil)] }
        return targets
    }

    /// Marks the leftovers that possibly belong to uploads in the user's queue, so that they are not deleted.
    private func markOwn(_ result: inout CheckResult) async throws(CommandFailure) {
        guard case .uploads(let uploads) = try await global.access().perform(.list) else { return }
        result.markOwn(uploads)
    }

    private func remove(_ result: inout CheckResult, by runner: DestinationRunner) async {
        let removable = result.leftovers.indices.filter { index in
            result.leftovers[index].isRemovable(notYoungerThan: olderThan, now: Date())
        }
        guard !removable.isEmpty else { return }
        if !yes {
            for index in removable { print(CheckText.leftover(result.leftovers[index])) }
            let what =
                removable.count == 1
                ? "this unfinished upload" : "these \(removable.count) unfinished uploads"
            // `print` would buffer the question, because the question does not end with a line break.
            StandardStream.output.write("  Delete \(what)? Another client may still be sending. [y/N] ")
            guard ["y", "yes"].contains(readLine()?.lowercased()) else { return }
        }
        for index in removable {
            do throws(UploadFailure) {
                let leftover = result.leftovers[index]
                if let abandoned = leftover.abandoned {
                    try await runner.remove(abandoned)
                } else {
                    try await runner.remove(leftover.leftover, at: result.destination)
                }
                result.leftovers[index].disposition = .removed
            } catch {
                result.leftovers[index].disposition = .stays(error)
            }
        }
    }
}
