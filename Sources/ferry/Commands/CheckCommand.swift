import ArgumentParser
import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask destinations what they can do.",
        discussion: """
            Nothing is uploaded and nothing stays there. What is found out serves the next uploads.

            Exit status: 0 all fine, 1 something is wrong, 2 wrong usage or configuration.
            """)

    @Argument(
        help: "Destinations' names, or addresses as for `add --to`; without any, all destinations.",
        completion: ShellCompletion.destinations)
    var destinations: [String] = []

    @Flag(help: "One JSON object a line.") var json = false

    @Flag(help: "Delete unfinished uploads that were left behind there.")
    var removeLeftovers = false

    @Option(
        help: ArgumentHelp("Only leftovers begun longer ago than this, such as 12h or 2d.", valueName: "time")
    )
    var olderThan: TimeSpan?

    @Flag(help: "Delete without asking.") var yes = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if !removeLeftovers, yes || olderThan != nil {
            throw ValidationError("--older-than and --yes go with --remove-leftovers.")
        }
    }

    func run() async throws {
        let assembly = try global.assembly()
        try checkQuestion()
        for warning in assembly.configuration.warnings {
            StandardError.write("\(Notice(kind: .warning, text: warning).line)\n")
        }
        let runner = assembly.runner(
            pace: RateLimit(), monitors: [TransferLog(folder: global.stateFolder)])
        let isFine: Bool
        do {
            isFine = try await check(try await places(assembly, runner), by: runner)
        } catch {
            await runner.shutdown()
            throw error
        }
        await runner.shutdown()
        if !isFine { throw ExitCode(1) }
    }

    private func check(_ places: [Destination], by runner: DestinationRunner) async throws -> Bool {
        // All are asked at once: one that does not answer holds up only what is printed after it.
        let asked = places.map { place in Task { await CheckResult(of: place, by: runner) } }
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
                    ? CheckLine(result).text
                    : CheckText.block(result, headed: removeLeftovers, namesNone: removeLeftovers))
            results.append(result)
        }
        return results.allSatisfy(\.isFine)
    }

    /// Without names, the addresses too where something was left behind.
    private func places(
        _ assembly: Assembly, _ runner: DestinationRunner
    ) async throws(CommandFailure) -> [Destination] {
        do throws(UploadFailure) {
            var places: [Destination] = []
            for name in destinations { places.append(try assembly.destination(name)) }
            if destinations.isEmpty { places = assembly.destinations + (await runner.abandonedAddresses()) }
            if places.isEmpty { places = [try assembly.destination(nil)] }
            return places
        } catch {
            throw CommandFailure(usage: error)
        }
    }

    private func checkQuestion() throws(CommandFailure) {
        guard removeLeftovers, !yes, json || !Self.isTerminal else { return }
        throw CommandFailure(
            usage: UploadFailure(
                .permanent, "nobody can be asked whether to delete the leftovers", hint: "add --yes"))
    }

    /// What the queue of this person still wants is no leftover.
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
            // Standard output holds a line back until it ends.
            FileHandle.standardOutput.write(
                Data("  Delete \(what)? Somebody may still be sending. [y/N] ".utf8))
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
                result.leftovers[index].fate = .removed
            } catch {
                result.leftovers[index].fate = .stays(error)
            }
        }
    }

    private static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }
}
