import FerryUploads

/// Performs the effects that need the queue or the disk, and posts their results to the mailbox. Commands run one after
/// the other, in the sequence in which they were typed.
struct EffectRunner: Sendable {
    let client: any QueueClient
    let add: any AddService
    let mailbox: Mailbox
    var startEngine: (@Sendable () async -> QueueReply)?
    var readsHistory = true

    /// Runs the screen or the line mode, and performs its effects until it ends. Waits for the last commands, but not
    /// after a signal or without a terminal.
    func serve<Failure>(
        _ interface: (_ send: @escaping @Sendable (Effect) -> Void) async -> Result<ScreenOutcome, Failure>
    ) async throws(Failure) -> ScreenOutcome {
        let (effects, continuation) = AsyncStream.makeStream(of: Effect.self)
        let work = Task { await run(effects) }
        let result = await interface { continuation.yield($0) }
        continuation.finish()
        switch result {
        case .success(.quit), .success(.quitWhenIdle), .success(.detach), .success(.stopEngine):
            await work.value
        case .success(.hangUp), .success(.signal), .failure: work.cancel()
        }
        return try result.get()
    }

    /// Performs effects until the stream ends, and waits for the reply to the last command.
    func run(_ effects: AsyncStream<Effect>) async {
        let (commands, continuation) = AsyncStream.makeStream(of: Effect.self)
        let listening = Task { await listen() }
        let performing = Task { for await effect in commands { await carryOut(effect) } }
        var looking: Task<Void, Never>?
        var listing: Task<Void, Never>?
        for await effect in effects {
            switch effect {
            case .perform, .add, .startEngine: continuation.yield(effect)
            case .complete, .askDestinations: Task { await carryOut(effect) }
            case .preview:
                // Only the newest choice matters, and searching a large folder takes long.
                looking?.cancel()
                looking = Task { await carryOut(effect) }
            case .stopPreview: looking?.cancel()
            case .list:
                listing?.cancel()
                listing = Task { await carryOut(effect) }
            case .setMouse, .copy, .notify, .redraw, .suspend, .finish: break  // `Program` performs these
            }
        }
        looking?.cancel()
        listing?.cancel()
        listening.cancel()
        continuation.finish()
        await withTaskCancellationHandler {
            await performing.value
        } onCancel: {
            performing.cancel()
        }
    }

    private func listen() async {
        for await update in await client.updates() { mailbox.post(.queue(update)) }
        mailbox.post(.queueEnded)
    }

    private func carryOut(_ effect: Effect) async {
        switch effect {
        case .perform(let command, let request):
            mailbox.post(.replied(await client.perform(command), to: request))
        case .add(let selection, let destination):
            let reply = await add.add(selection, to: destination)
            mailbox.post(
                .replied(reply, to: .add(files: selection.files.count, skipped: selection.problems.count)))
        case .preview(let request, let number):
            let selection = await add.preview(request)
            let past = Task.isCancelled || !readsHistory ? [] : await add.past(selection)
            if !Task.isCancelled { mailbox.post(.previewed(selection, past: past, number: number)) }
        case .startEngine:
            if let startEngine { mailbox.post(.replied(await startEngine(), to: .startEngine)) }
        case .list(let reference, let number):
            let folder = await add.list(reference)
            if !Task.isCancelled { mailbox.post(.listed(folder, number: number)) }
        case .complete(let line, let number):
            mailbox.post(.completed(await add.completions(of: line), number: number))
        case .askDestinations: mailbox.post(.destinations(await add.destinations()))
        case .stopPreview, .setMouse, .copy, .notify, .redraw, .suspend, .finish: break
        }
    }
}
