import FerryTestSupport
import Synchronization

/// A tus server for tests that does what others do wrong, or says what they say. It has one upload, at `/files/1`.
final class TusStandIn: Sendable {
    /// The deviations of this server.
    struct Habits: Sendable {
        /// The number of appends that it interrupts halfway, as tusd 2.9.2 does when a later request wants the lock
        /// (pkg/handler/unrouted_handler.go, lockUpload). It keeps the bytes that had arrived.
        var interruptions = 0
        /// The number of requests after each interruption that find the lock taken (423, ERR_UPLOAD_LOCKED).
        var lockedQuestions = 0
        /// True if each append replaces what was there, and its length is what the server says that it holds.
        var reopensFile = false
        /// True if the server closes the connection at OPTIONS (fastapi-tusd 0.100.2).
        var closesOnOptions = false
    }

    private struct State {
        var interruptions: Int
        var locked = 0
        /// Bytes of the file, and what the server believes to hold.
        var stored = 0
        var offset = 0
        var length = 0
        var appends = 0
    }

    private static let tus = [("Tus-Resumable", "1.0.0")]

    private let habits: Habits
    private let state: Mutex<State>

    init(_ habits: Habits) {
        self.habits = habits
        state = Mutex(State(interruptions: habits.interruptions))
    }

    /// Bytes of the file that the upload became.
    var stored: Int { state.withLock { $0.stored } }
    /// The number of requests that carried bytes.
    var appends: Int { state.withLock { $0.appends } }

    /// Listens until it is stopped.
    func listen() throws -> HostileServer {
        try HostileServer { [self] connection in
            while try connection.waitForRequest() {
                let request = try connection.readHead()
                try serve(request, connection)
                guard connection.isOpen else { return }
            }
        }
    }

    private func serve(_ request: RecordedRequest, _ connection: HostileConnection) throws {
        switch request.method {
        case "OPTIONS":
            if habits.closesOnOptions { return connection.close() }
            try connection.answer(
                204, headers: Self.tus + [("Tus-Version", "1.0.0"), ("Tus-Extension", "creation")])
        case "POST":
            state.withLock {
                ($0.stored, $0.offset, $0.length) = (0, 0, Int(request["Upload-Length"] ?? "") ?? 0)
            }
            try connection.answer(201, headers: Self.tus + [("Location", "/files/1")])
        case "HEAD": try tell(connection)
        case "PATCH": try append(request, connection)
        default: try connection.answer(204, headers: Self.tus)
        }
    }

    private func tell(_ connection: HostileConnection) throws {
        let (isLocked, offset, length) = state.withLock { state in
            defer { state.locked = max(0, state.locked - 1) }
            return (state.locked > 0, habits.reopensFile ? state.stored : state.offset, state.length)
        }
        guard !isLocked else { return try connection.answer(423, headers: Self.tus) }
        try connection.answer(
            200, headers: Self.tus + [("Upload-Offset", "\(offset)"), ("Upload-Length", "\(length)")])
    }

    private func append(_ request: RecordedRequest, _ connection: HostileConnection) throws {
        let length = Int(request["Content-Length"] ?? "") ?? 0
        let isInterrupted = state.withLock { state in
            state.appends += 1
            guard state.interruptions > 0 else { return false }
            state.interruptions -= 1
            state.locked = habits.lockedQuestions
            return true
        }
        let taken = try connection.readBody(isInterrupted ? length / 2 : nil)
        let offset = state.withLock { state in
            state.offset += taken
            state.stored = habits.reopensFile ? taken : state.offset
            return state.offset
        }
        guard isInterrupted else {
            return try connection.answer(204, headers: Self.tus + [("Upload-Offset", "\(offset)")])
        }
        try connection.answer(
            400, headers: Self.tus + [("Content-Type", "text/plain; charset=utf-8")],
            body:
                "ERR_UPLOAD_INTERRUPTED: upload has been interrupted by another request for this upload resource\n",
            keepAlive: false)
        connection.closeSending()
        _ = try? connection.readBody()
        connection.close()
    }
}
