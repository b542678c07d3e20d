import FerryTestSupport
import Synchronization

/// A tus server for tests that does what others do wrong, or says what they say. It has one upload, at `/files/1`.
final class TusStandIn: Sendable {
    /// The deviations of this server.
    struct Habits: Sendable {
        /// The program whose responses it sends to requests that meet a lock.
        var program = OtherTusServer.tusd
        /// The number of appends that it interrupts halfway, as the program does when a later request wants the lock.
        /// It keeps the bytes that had arrived.
        var interruptions = 0
        /// The number of requests after each interruption that find the lock taken.
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
        guard !isLocked else {
            return try connection.answer(habits.program.lockedStatus, headers: Self.tus)
        }
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
            body: habits.program.interruption, keepAlive: false)
        connection.closeSending()
        _ = try? connection.readBody()
        connection.close()
    }
}

/// The responses of each program to requests that meet a lock.
extension OtherTusServer {
    /// The text of the 400 to an append that a later request interrupts.
    fileprivate var interruption: String {
        switch self {
        // tusd 2.9.2, pkg/handler/unrouted_handler.go, lockUpload.
        case .tusd:
            "ERR_UPLOAD_INTERRUPTED: upload has been interrupted by another request for this upload resource\n"
        // @tus/server 2.4.3, packages/utils/src/constants.ts, ABORTED.
        case .tusNode: "Request aborted due to lock acquired"
        }
    }

    /// The status of the response to a request that finds the lock taken. A response to `HEAD` has no text.
    fileprivate var lockedStatus: Int {
        switch self {
        // tusd 2.9.2, pkg/handler/unrouted_handler.go, ErrFileLocked.
        case .tusd: 423
        // @tus/server 2.4.3, packages/utils/src/constants.ts, ERR_LOCK_TIMEOUT.
        case .tusNode: 500
        }
    }
}
