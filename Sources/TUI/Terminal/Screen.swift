package import FerryUploads

/// The terminal interface over a queue. One thread owns the terminal while the screen is shown.
package struct Screen: Sendable {
    /// The settings of the screen.
    package struct Configuration: Sendable {
        /// A choice of colours.
        package enum Colour: String, Sendable, CaseIterable {
            /// Colours if the terminal has them, and if the environment variable `NO_COLOR` is unset or empty.
            case auto
            case always, never
            /// 24-bit colours if terminfo describes them, else those of the terminal. `NO_COLOR` has no effect.
            case direct
        }

        /// A choice of the symbols, such as bars and arrows: Unicode or ASCII.
        package enum GlyphChoice: String, Sendable, CaseIterable {
            /// Unicode, or ASCII if the locale or the terminal lacks the Unicode symbols or draws them too wide.
            case auto
            case unicode, ascii
        }

        /// The symbols, such as bars and arrows.
        package var glyphs = GlyphChoice.auto
        /// The colours.
        package var colour = Colour.auto
        /// The colours and attributes of each role of text.
        package var theme = Theme.standard
        /// The characters that draw graphs; nil for braille dots. If the symbols are ASCII, graphs are ASCII too.
        package var graph: GraphStyle?
        /// The key bindings.
        package var actions = ActionTable.standard
        /// True if the mouse works on the screen from the start. The user can turn the mouse on and off with a key.
        package var mouse = true
        /// The events on which the terminal notifies the user, and the signal for that.
        package var notification = TerminalNotification()
        /// True to draw at most one frame a second while no key is pressed.
        package var isSlow = false
        /// The destinations, of which the Add dialog offers the preferred or first one first.
        package var destinations = DestinationNames()
        /// The relation of the screen to the engine, which runs the uploads: whether the engine ends with the screen.
        package var ownership = EngineOwnership.own

        package init() {}
    }

    private let client: any QueueClient
    private let add: any AddService
    private let configuration: Configuration
    private let startEngine: (@Sendable () async -> QueueReply)?

    /// - Parameter startEngine: Starts another engine after the attached one is gone; nil if that is impossible.
    package init(
        client: any QueueClient, add: any AddService, configuration: Configuration,
        startEngine: (@Sendable () async -> QueueReply)? = nil
    ) {
        self.client = client
        self.add = add
        self.configuration = configuration
        self.startEngine = startEngine
    }

    /// Shows the screen until it ends or the task is cancelled (`quit`), then restores the terminal.
    /// - Throws: `ScreenError` if there is no terminal or it cannot show a screen. Nothing was drawn then.
    package func run() async throws(ScreenError) -> ScreenOutcome {
        let mailbox = Mailbox()
        let runner = EffectRunner(client: client, add: add, mailbox: mailbox, startEngine: startEngine)
        return try await runner.serve { send in
            await withTaskCancellationHandler {
                await withCheckedContinuation {
                    (finished: CheckedContinuation<Result<ScreenOutcome, ScreenError>, Never>) in
                    DetachedThread.start(name: "screen", stackSize: 4 << 20) {
                        // `Program` is not Sendable, so the compiler ensures that only this thread uses the terminal.
                        let result = Result { () throws(ScreenError) -> ScreenOutcome in
                            let program = try Program(
                                client: client, mailbox: mailbox, configuration: configuration, send: send)
                            return program.run()
                        }
                        finished.resume(returning: result)
                    }
                }
            } onCancel: {
                mailbox.close()
            }
        }
    }
}

/// The way in which the screen ended.
package enum ScreenOutcome: Hashable, Sendable {
    /// The user left, or the task was cancelled. Uploads are possibly still running.
    case quit
    /// The running uploads that the user waited for have ended, or the engine is gone. The line mode: its input has
    /// ended and the queue is idle, or the queue sends no more updates.
    case quitWhenIdle
    /// The user left, and a background engine takes over the queue.
    case detach
    /// The user left, and the attached engine is to stop.
    case stopEngine
    /// The terminal is gone, or SIGHUP arrived, which stays ignored, so that the process can finish. Printing can fail
    /// from then on.
    case hangUp
    /// SIGINT, SIGTERM or SIGQUIT arrived. The exit status is 128 plus the number of the signal.
    case signal(Int32)
}

/// The reason why the screen cannot be shown, as a text for users.
package enum ScreenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Standard input or standard output is not a terminal, but for example a file or a pipe.
    case notATerminal
    /// TERM names a dumb terminal, which cannot move its cursor, or one that terminfo does not know.
    case unusableTerminal(String)
    /// A system call failed; the text is the reason.
    case system(String)

    package var description: String {
        switch self {
        case .notATerminal: "standard input or output is not a terminal"
        case .unusableTerminal(let name):
            name.isEmpty ? "TERM is not set" : "'\(name)' is a dumb or unknown terminal"
        case .system(let reason): "the terminal could not be taken over: \(reason)"
        }
    }
}

/// Finds files for users, and adds them to the queue. The executable implements it.
package protocol AddService: Sendable {
    /// Finds the files of a typed line, a paste or marked paths. It ends early when its task is cancelled.
    func preview(_ request: AddRequest) async -> FileSelection

    /// Returns the done uploads in the history whose paths are those of the selected files.
    func past(_ selection: FileSelection) async -> [Upload]

    /// Reads a folder, which can take long.
    func list(_ folder: FolderReference) async -> BrowsedFolder

    /// Queues the selection for a destination.
    func add(_ selection: FileSelection, to destination: String) async -> QueueReply

    /// Returns the sorted completions of a line, each for the whole line. Reading directories can take long.
    func completions(of line: String) async -> [String]

    /// Returns the current destinations.
    func destinations() async -> DestinationNames
}

/// The destinations that files can be added to.
package struct DestinationNames: Hashable, Sendable {
    /// The names of the destinations, in the sequence in which they are offered.
    package var all: [String]
    /// The destination of files if the user names none; nil if there is no such default.
    package var preferred: String?

    package init(_ all: [String] = [], preferred: String? = nil) {
        self.all = all
        self.preferred = preferred
    }
}
