import ArgumentParser
import FerryProtocols
import FerryUploads

struct ScreenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Open the screen (the default), attaching to a running engine if there is one.",
        discussion: """
            `?` on the screen lists all keys. Without a command, `ferry` opens the screen too.

              ferry screen --theme light
              ferry --plain
            """)

    @OptionGroup var look: ScreenOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let assembly = try global.assembly()
        let watches = try assembly.watches()
        let theme = try look.theme(assembly.configuration)
        let background = BackgroundEngine(global)
        let attached = AttachedSession(assembly: assembly, look: look, theme: theme, background: background)
        // `Engine.start` may wait for commands that have locked the queue, so the screen looks for an engine first.
        if ControlClient(folder: global.stateFolder).hasListener { return try await attached.run() }
        let engine: Engine
        do throws(JournalError) {
            engine = try await Engine.start(assembly, monitor: assembly.linkMonitor(), watches: watches)
        } catch {
            guard case .inUse = error, ControlClient(folder: global.stateFolder).hasListener else {
                throw error
            }
            return try await attached.run()
        }
        for notice in engine.notices { StandardError.write("\(notice.line)\n") }
        let session = ScreenSession(
            engine: engine, assembly: assembly, look: look, theme: theme, background: background)
        try await session.run()
    }
}
