import ArgumentParser
import FerryTransfer

@main
enum Program {
    /// Runs the command in a task while the main thread waits: an asynchronous `main` would end this thread, and
    /// `/proc` would no longer show the file descriptors of the process.
    static func main() {
        StandardStream.openClosed()
        DescriptorLimit.raise()
        CoreDump.prevent()
        Machine.shareHeap()
        // Scripts ask for the version often, and the parser would first read the table of all commands.
        if CommandLine.arguments.dropFirst().elementsEqual(["--version"]) {
            return print(FerryVersion.current)
        }
        Task.detached {
            await Ferry.start()
            Ferry.exit()
        }
        DetachedThread.waitForever()
    }
}

struct Ferry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ferry", abstract: "Uploads files reliably over bad links.",
        discussion: """
            Without a subcommand the screen opens. `?` there lists the keys. `ferry help topics` lists the manual's pages.

              ferry add film.mov --to tus+https://uploads.example.org/files/
              ferry

            Exit status:
              0       all done
              1       some failed or held
              2       wrong usage or configuration
              3       no engine runs (status, wait, reload)
              73, 77  the state folder cannot be used
              74      the output could not be written
              75      the queue is in use and does not answer
              124     wait --timeout
              129     the terminal was closed
              130     interrupted
              143     ended by a signal or stop
            """,
        version: FerryVersion.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Start",
                subcommands: [DemoCommand.self, InitCommand.self, AddCommand.self, ScreenCommand.self]),
            CommandGroup(
                name: "Engine",
                subcommands: [
                    RunCommand.self, StatusCommand.self, ReloadCommand.self, StopCommand.self,
                    WaitCommand.self,
                ]),
            CommandGroup(
                name: "Queue",
                subcommands: [
                    ListCommand.self, PauseCommand.self, ResumeCommand.self, RetryCommand.self,
                    RemoveCommand.self, MoveCommand.self, LimitCommand.self, UndoCommand.self,
                    RedoCommand.self, HistoryCommand.self,
                ]),
            CommandGroup(
                name: "Destinations and files",
                subcommands: [CheckCommand.self, ConfigCommand.self, StateCommand.self, ServeCommand.self]),
        ],
        defaultSubcommand: ScreenCommand.self)

    /// Carries out the command on the command line. If the command fails, prints the error and ends the process.
    static func start() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            if let failure = Misspelling.ofCommand(in: arguments) ?? Misspelling.ofOption(in: arguments) {
                throw failure
            }
            if let page = try ManualTopic.text(
                for: arguments, columns: min(WordWrap.terminalColumns ?? 80, 100))
            {
                Pager.show(page)
                return try finishOutput()
            }
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try finishOutput()
        } catch let error as ExitCode {
            do throws(CommandFailure) { try finishOutput() } catch { error.print() }
            exit(withError: error)
        } catch {
            if let failure = CommandFailure(of: error) {
                failure.print()
                exit(withError: ExitCode(failure.status))
            }
            // The parser's exit status for wrong usage is 64. Ferry uses 2.
            let status = exitCode(for: error)
            guard status == .validationFailure else { exit(withError: error) }
            // The message contains text that the user typed or pasted, with possible control characters.
            for line in Misspelling.lines(
                of: fullMessage(for: error), arguments: CommandLine.arguments.dropFirst())
            {
                StandardError.write(SafeLine.text(line) + "\n")
            }
            exit(withError: ExitCode(CommandFailure.usage))
        }
    }

    private static func finishOutput() throws(CommandFailure) {
        do throws(SystemCallError) { try StandardStream.finishOutput() } catch {
            throw CommandFailure(
                status: CommandFailure.outputLost,
                summary: "the output could not be written: \(error.reason)",
                hint: "the command itself was carried out; make room, or name another file")
        }
    }
}

enum FerryVersion {
    static let current = "0.1.0"
}
