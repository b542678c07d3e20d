import ArgumentParser
import FerryConnectivity
import FerryProtocols
import FerryReceiver
import FerryUploads

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Try Ferry with no server: sample files, a receiver and the screen.",
        discussion: """
            Everything lives in a temporary folder that is removed at the end.

              ferry demo
              ferry demo --flaky
            """)

    @OptionGroup var look: ScreenOptions
    @Flag(help: "Cut the connections every few seconds, and take the link down now and then.") var flaky =
        false

    /// The bandwidth limit of the receiver. At this rate the upload of all sample files takes about half a minute.
    private static let bytesPerSecond = 10 << 20
    /// The quota of the receiver. It has room for repeated uploads of the sample files (290 MB), and for other files.
    private static let quota = 2 << 30

    /// Returns the settings of the demo's receiver. It needs a token, because other users of this machine can reach it.
    static func receiver(into directory: String) -> ReceiverConfiguration {
        var settings = ReceiverConfiguration(directory: directory, host: "127.0.0.1", port: 0)
        settings.makesToken = true
        settings.limits.quota = quota
        settings.bytesPerSecond = bytesPerSecond
        // The client repeats a PUT that got no response. The second one must replace the first file.
        settings.overwrite = true
        return settings
    }

    func run() async throws {
        let folder = try DemoFolder()
        defer { folder.remove() }
        let receiver = try UploadReceiver(Self.receiver(into: folder.received))
        let (addresses, started) = AsyncStream.makeStream(of: ReceiverAddress.self)
        let serving = Task {
            defer { started.finish() }
            try await receiver.run { started.yield($0) }
        }
        guard let address = await addresses.first(where: { _ in true }) else {
            _ = try await serving.value
            return
        }
        let link = flaky ? DemoLink(target: address) : nil
        let ended = await Result.awaiting {
            let entry = try await link?.start() ?? address
            try await session(at: entry, token: receiver.token?.text, in: folder, link: link)
        }
        // Stops everything that writes into the folder before the folder is removed, even after an error.
        link?.stop()
        serving.cancel()
        _ = try? await serving.value
        try ended.get()
    }

    private func session(
        at address: ReceiverAddress, token: String?, in folder: DemoFolder, link: DemoLink?
    ) async throws {
        let configuration = try DemoFolder.configuration(address, token: token ?? "")
        let theme = try look.theme(configuration)
        let assembly = Assembly(
            configuration: configuration, state: LocalPath(folder.state), treatsLoopbackAsRemote: link != nil)
        let engine = try await Engine.start(assembly, monitor: link?.monitor)
        for (name, files) in try folder.makeSamples() {
            guard let destination = try? assembly.destination(name) else { continue }
            let selection = FileSearch(isRecursive: false).find(files)
            _ = await engine.queue.perform(.add(try NewUploads.make(selection, for: destination)))
        }
        try await ScreenSession(engine: engine, assembly: assembly, look: look, theme: theme).run()
    }
}
