import FerryTestSupport
import Synchronization

/// A stand-in for a tus server, with the known errors of real servers. It has one upload, at `/files/1`.
final class TusStandIn: Sendable {
    /// The errors of the server.
    struct Habits: Sendable {
        /// The program whose responses to requests for a locked upload it sends.
        var program = OtherTusServer.tusd
        /// The number of appends that the server interrupts in the middle, keeping the bytes so far. The program does
        /// so if a later request needs the lock.
        var interruptions = 0
        /// The number of requests after each interruption that find the upload locked.
        var lockedQuestions = 0
        /// True if each append replaces the stored bytes, and the server reports the length of the append as the
        /// offset.
        var reopensFile = false
        /// True if the server closes the connection at OPTIONS (fastapi-tusd 0.100.2).
        var closesOnOptions = false
    }

    private struct State {
        var interruptions: Int
        var locked = 0
        /// The stored bytes of the file, and the number that the server reports.
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

    /// The size of the stored file.
    var stored: Int { state.withLock { $0.stored } }
    /// The number of requests with content.
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
