import FerryUploads

/// What the screen wants done outside its thread.
enum Order: Sendable {
    case perform(QueueCommand, Request)
    case add(FileSelection, destination: String)
    case preview(AddRequest, number: Int)
    /// Ends the preview that is under way.
    case stopPreview
    case list(BrowsedPlace, number: Int)
    case complete(String, number: Int)
    case askDestinations
    case startEngine
}

/// Carries out the screen's orders and posts what came of them. Commands go one after the other, as typed.
struct Servant: Sendable {
    let client: any QueueClient
    let add: AddService
    let mailbox: Mailbox
    /// Starts another engine in the place of one that is gone; nil where that cannot be.
    var startEngine: (@Sendable () async -> QueueReply)?

    /// Carries out what an interface orders, for as long as it is there.
    ///
    /// Who leaves in peace gets the last commands carried out; who is made to leave does not wait for them.
    func serve<Failure>(
        _ interface: (_ send: @escaping @Sendable (Order) -> Void) async -> Result<ScreenOutcome, Failure>
    ) async throws(Failure) -> ScreenOutcome {
        let (orders, continuation) = AsyncStream.makeStream(of: Order.self)
        let work = Task { await run(orders) }
        let result = await interface { continuation.yield($0) }
        continuation.finish()
        switch result {
        case .success(.quit), .success(.quitWhenIdle), .success(.detach), .success(.stopEngine):
            await work.value
        case .success(.hangUp), .success(.signal), .failure: work.cancel()
        }
        return try result.get()
    }

    /// Returns when the orders have ended and the last command has been answered: what was typed before leaving
    /// is carried out.
    func run(_ orders: AsyncStream<Order>) async {
        let (commands, continuation) = AsyncStream.makeStream(of: Order.self)
        let listening = Task { await listen() }
        let performing = Task { for await order in commands { await carryOut(order) } }
        var looking: Task<Void, Never>?
        var listing: Task<Void, Never>?
        for await order in orders {
            switch order {
            case .perform, .add, .startEngine: continuation.yield(order)
            case .complete, .askDestinations: Task { await carryOut(order) }
            case .preview:
                // Only the newest choice is of interest, and looking at a large folder takes long.
                looking?.cancel()
                looking = Task { await carryOut(order) }
            case .stopPreview: looking?.cancel()
            case .list:
                listing?.cancel()
                listing = Task { await carryOut(order) }
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

    private func carryOut(_ order: Order) async {
        switch order {
        case .perform(let command, let request):
            mailbox.post(.replied(await client.perform(command), to: request))
        case .add(let selection, let destination):
            let reply = await add.add(selection, destination)
            mailbox.post(
                .replied(reply, to: .add(files: selection.files.count, skipped: selection.problems.count)))
        case .preview(let request, let number):
            let selection = await add.preview(request)
            if !Task.isCancelled { mailbox.post(.previewed(selection, number: number)) }
        case .startEngine:
            if let startEngine { mailbox.post(.replied(await startEngine(), to: .startEngine)) }
        case .stopPreview: break
        case .list(let place, let number):
            let folder = await add.list(place)
            if !Task.isCancelled { mailbox.post(.listed(folder, number: number)) }
        case .complete(let line, let number):
            mailbox.post(.completed(await add.complete(line), number: number))
        case .askDestinations: mailbox.post(.destinations(await add.destinations()))
        }
    }
}
