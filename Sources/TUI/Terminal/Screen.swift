public import FerryUploads
import Foundation

/// The terminal interface over a queue: one thread owns the terminal while it is up.
///
/// ```swift
/// let screen = Screen(client: queue, add: service, configuration: .init(destinations: ["box"]))
/// let outcome = try await screen.run()
/// ```
public struct Screen: Sendable {
    public struct Configuration: Sendable {
        /// Whether there are colours, and which.
        public enum Colour: String, Sendable, CaseIterable {
            /// Colours if the terminal has them and `NO_COLOR` is not set.
            case auto
            case always, never
            /// Exact ones, of 24 bits, if terminfo describes how; else as `always`.
            case direct
        }

        /// Which signs are drawn besides letters.
        public enum GlyphChoice: String, Sendable, CaseIterable {
            /// ASCII signs only where the locale or the terminal has no others, or draws them too wide.
            case auto
            case unicode, ascii
        }

        /// Which signs are drawn besides letters.
        public var glyphs: GlyphChoice
        /// Whether there are colours, and which.
        public var colour: Colour
        /// How what is drawn looks.
        public var theme: Theme
        /// What graphs are drawn with; nil for dots where they can be drawn. ASCII where nothing else can.
        public var graph: GraphStyle?
        /// Which keys do what.
        public var actions: ActionTable
        /// Whether clicks and the wheel are taken. `m` changes it.
        public var mouse: Bool
        /// Whether the terminal calls the person who looks elsewhere.
        public var call: TerminalCall
        /// At most one frame a second for what moves by itself.
        public var isSlow: Bool
        /// The names of the destinations that files can be added to.
        public var destinations: [String]
        /// The one that is offered first.
        public var defaultDestination: String?
        /// Whose engine it is.
        public var tie: EngineTie

        public init(
            glyphs: GlyphChoice = .auto, colour: Colour = .auto, theme: Theme = .standard,
            graph: GraphStyle? = nil, actions: ActionTable = .standard, mouse: Bool = true,
            call: TerminalCall = TerminalCall(), isSlow: Bool = false, destinations: [String] = [],
            defaultDestination: String? = nil,
            tie: EngineTie = .own
        ) {
            self.glyphs = glyphs
            self.colour = colour
            self.theme = theme
            self.graph = graph
            self.actions = actions
            self.mouse = mouse
            self.call = call
            self.isSlow = isSlow
            self.destinations = destinations
            self.defaultDestination = defaultDestination
            self.tie = tie
        }
    }

    private let client: any QueueClient
    private let add: AddService
    private let configuration: Configuration
    private let startEngine: (@Sendable () async -> QueueReply)?

    /// - Parameter startEngine: Starts another engine in the place of one that is gone; for screens that are attached.
    public init(
        client: any QueueClient, add: AddService, configuration: Configuration,
        startEngine: (@Sendable () async -> QueueReply)? = nil
    ) {
        self.client = client
        self.add = add
        self.configuration = configuration
        self.startEngine = startEngine
    }

    /// Takes the terminal over until the person or the system ends it. Returns when it has been given back.
    ///
    /// If the calling task is cancelled, the screen closes and the outcome is `quit`.
    /// - Throws: `ScreenError` if there is no terminal or it cannot show a screen; nothing was drawn then.
    public func run() async throws(ScreenError) -> ScreenOutcome {
        let mailbox = Mailbox()
        let client = client
        let configuration = configuration
        let servant = Servant(client: client, add: add, mailbox: mailbox, startEngine: startEngine)
        return try await servant.serve { send in
            await withTaskCancellationHandler {
                await withCheckedContinuation {
                    (finished: CheckedContinuation<Result<ScreenOutcome, ScreenError>, Never>) in
                    let thread = Thread {
                        // Made on its thread and not Sendable: the compiler keeps the terminal there.
                        let result = Result { () throws(ScreenError) -> ScreenOutcome in
                            let program = try Program(
                                client: client, mailbox: mailbox, configuration: configuration, send: send)
                            return program.run()
                        }
                        finished.resume(returning: result)
                    }
                    thread.name = "screen"
                    thread.stackSize = 4 << 20
                    thread.start()
                }
            } onCancel: {
                mailbox.close()
            }
        }
    }
}

/// How the screen ended.
public enum ScreenOutcome: Hashable, Sendable {
    /// The person left. Uploads may be running.
    case quit
    /// The person asked for the running uploads to be finished first, and they are.
    case quitWhenIdle
    /// The person left, and a background engine is to take the queue over.
    case detach
    /// The person left, and the engine that the screen was attached to is to stop.
    case stopEngine
    /// The terminal has gone: closed window, lost ssh, SIGHUP. Nothing can be printed any more, and SIGHUP is
    /// ignored from then on, so that there is time to finish.
    case hangUp
    /// SIGINT, SIGTERM or SIGQUIT came; end with status 128 plus its number.
    case signal(Int32)
}

/// Why there is no screen, in the words the person reads.
public enum ScreenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Standard input or output is a file or a pipe.
    case notATerminal
    /// TERM names a terminal that cannot place its cursor.
    case unusableTerminal(String)
    /// The system refused, with the reason.
    case system(String)

    public var description: String {
        switch self {
        case .notATerminal: "standard input or output is not a terminal"
        case .unusableTerminal(let name):
            "the terminal \(name.isEmpty ? "(TERM is not set)" : "'\(name)'") cannot place its cursor"
        case .system(let reason): "the terminal could not be taken over: \(reason)"
        }
    }
}

/// How the screen turns what people type or paste into files and uploads. Given by the executable.
public struct AddService: Sendable {
    /// Finds the files that a typed line or a paste stands for, and those that were marked. Should end early when
    /// its task is cancelled.
    public var preview: @Sendable (_ request: AddRequest) async -> FileSelection
    /// Looks into a folder, however long that takes.
    public var list: @Sendable (_ place: BrowsedPlace) async -> BrowsedFolder
    /// Queues the selection for a destination.
    public var add: @Sendable (_ selection: FileSelection, _ destination: String) async -> QueueReply
    /// The lines that a line may be completed to, in order; each replaces the whole line. May read directories.
    public var complete: @Sendable (_ line: String) async -> [String]
    /// Where files can go now.
    public var destinations: @Sendable () async -> DestinationNames

    public init(
        preview: @escaping @Sendable (_ request: AddRequest) async -> FileSelection,
        list: @escaping @Sendable (_ place: BrowsedPlace) async -> BrowsedFolder,
        add: @escaping @Sendable (_ selection: FileSelection, _ destination: String) async -> QueueReply,
        complete: @escaping @Sendable (_ line: String) async -> [String],
        destinations: @escaping @Sendable () async -> DestinationNames
    ) {
        self.preview = preview
        self.list = list
        self.add = add
        self.complete = complete
        self.destinations = destinations
    }
}

/// The destinations that files can be added to.
public struct DestinationNames: Hashable, Sendable {
    /// In the order in which they are offered.
    public var all: [String]
    /// The one that is meant where none is named.
    public var preferred: String?

    public init(_ all: [String], preferred: String? = nil) {
        self.all = all
        self.preferred = preferred
    }
}
