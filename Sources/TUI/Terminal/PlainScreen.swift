package import FerryUploads

/// The line mode, without moves of the cursor and colours, for screen readers, logs and simple terminals.
package struct PlainScreen: Sendable {
    /// The destinations, and the preferred one for files without a destination.
    package var destinations = DestinationNames()
    /// The relation of the line mode to the engine, which runs the uploads: whether the engine ends with the line mode.
    package var ownership = EngineOwnership.own
    /// The reason why there is no screen; nil if the user asked for lines.
    package var reason: String?

    private let client: any QueueClient
    private let add: any AddService
    private let print: @Sendable (String) -> Void
    private let waitUntilIdle: @Sendable () async -> Void
    /// The messages besides those in the mailbox. Nil makes the line mode look at the clock and the mailbox.
    private let events: AsyncStream<PlainMessage?>
    private let post: AsyncStream<PlainMessage?>.Continuation

    /// - Parameters:
    ///   - print: Writes a line. Returns at once, even if the terminal or pipe cannot take the line yet.
    ///   - waitUntilIdle: Returns when nothing runs in the queue and nothing will start by itself.
    package init(
        client: any QueueClient, add: any AddService, print: @escaping @Sendable (String) -> Void,
        waitUntilIdle: @escaping @Sendable () async -> Void
    ) {
        self.client = client
        self.add = add
        self.print = print
        self.waitUntilIdle = waitUntilIdle
        (events, post) = AsyncStream.makeStream(of: PlainMessage?.self)
    }

    /// Makes `run` return the outcome of a signal, once pending events are printed. Does not wait for replies.
    package func end(by signal: Int32) {
        post.yield(.ended(signal == Signal.hangUp ? .hangUp : .signal(signal)))
    }

    /// Prints events and runs commands until the user quits, all work is done after the end of a pipe, or the queue or
    /// the system ends the line mode. If the calling task is cancelled, the outcome is `quit`. Call this function only
    /// once.
    package func run() async -> ScreenOutcome {
        let mailbox = Mailbox { [post] in post.yield(nil) }
        LineInput.start { [post] in post.yield($0) }
        // The line mode does not show which files were uploaded before.
        let runner = EffectRunner(client: client, add: add, mailbox: mailbox, readsHistory: false)
        return await runner.serve { send in
            await withTaskCancellationHandler {
                Result<_, Never>.success(await follow(mailbox, send))
            } onCancel: {
                post.yield(.ended(.quit))
            }
        }
    }

    private func follow(_ mailbox: Mailbox, _ send: (Effect) -> Void) async -> ScreenOutcome {
        var model = PlainModel(
            destinations: destinations, readsTerminal: LineInput.isTerminal, clock: .now(),
            ownership: ownership)
        var effects = model.update(.opened(because: reason))
        var iterator = events.makeAsyncIterator()
        while true {
            for effect in effects {
                switch effect {
                case .print(let line): print(line)
                case .send(let effect): send(effect)
                case .waitUntilIdle:
                    Task {
                        await waitUntilIdle()
                        post.yield(.idle)
                    }
                case .finish(let outcome): return outcome
                }
            }
            let timer = timer(until: model.deadline)
            guard let event = await iterator.next() else { return .quit }
            timer?.cancel()
            effects = model.update(.clock(.now()))
            let mail = event == nil ? mailbox.drain() : Mailbox.Contents()
            let messages = [event, mail.update.map { .news(.queue($0)) }] + mail.messages.map { .news($0) }
            for case let message? in messages { effects += model.update(message) }
            if model.wantsProgress { effects += model.update(.progress(client.progress())) }
        }
    }

    private func timer(until deadline: Double?) -> Task<Void, Never>? {
        guard let deadline else { return nil }
        return Task { [post] in
            let seconds = max(0, deadline - Clock.now().seconds)
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            post.yield(nil)
        }
    }
}
