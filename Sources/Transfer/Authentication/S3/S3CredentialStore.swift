public import FerryProtocols

/// The store of the S3 credentials that all requests share, loaded on first use and shortly before they expire.
public actor S3CredentialStore {
    /// A function that loads credentials. Its error names the sources that were searched.
    public typealias Load = @Sendable () async throws(UploadFailure) -> S3Credentials

    private enum State {
        case empty
        /// The credentials are available. They are loaded again once refused, or after `next` (nil for never).
        case ready(S3Credentials, next: Moment?)
        /// The credentials are being loaded. If that fails, requests use the `old` ones until these expire.
        case loading(Task<Result<S3Credentials, UploadFailure>, Never>, old: S3Credentials?)
    }

    /// A moment on the wall clock and on a monotonic one: setting the clock back must not extend any use.
    private struct Moment {
        var date: Date
        var instant: ContinuousClock.Instant
    }

    /// The number of seconds before their expiration at which credentials are replaced. A signed request can wait
    /// before it is sent, and can run for minutes.
    static let margin: TimeInterval = 300
    /// The shortest time in seconds from a successful load to the next one, unless the server refuses the credentials.
    static let pause: TimeInterval = 60

    private let load: Load
    private let now: @Sendable () -> Date
    private let elapsed: @Sendable () -> ContinuousClock.Instant
    private var state = State.empty

    /// - Parameters:
    ///   - now: The wall clock, for the expiration of credentials.
    ///   - elapsed: A monotonic clock.
    ///   - load: Loads the credentials. Only one call runs at a time.
    public init(
        now: @escaping @Sendable () -> Date = { Date() },
        elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, load: @escaping Load
    ) {
        self.load = load
        self.now = now
        self.elapsed = elapsed
    }

    /// Returns the credentials to sign with now, and loads them if necessary.
    /// - Throws: The error of the load, if no valid credentials remain.
    public func current() async throws(UploadFailure) -> S3Credentials {
        let task: Task<Result<S3Credentials, UploadFailure>, Never>
        let old: S3Credentials?
        switch state {
        case .ready(let credentials, let next):
            guard let next, now() >= next.date || elapsed() >= next.instant else { return credentials }
            (task, old) = (begin(after: credentials, isUsable: true), credentials)
        case .empty: (task, old) = (begin(after: nil, isUsable: false), nil)
        case .loading(let running, let before): (task, old) = (running, before)
        }
        do throws(UploadFailure) { return try await task.value.get() } catch {
            // The old credentials are still valid for a while, and the next request loads again.
            guard let old, let end = old.expiration, now() < end else { throw error }
            return old
        }
    }

    /// Returns other credentials after a server refused `refused`, and loads them if necessary.
    /// - Returns: The credentials; nil if the load returned the refused ones again.
    /// - Throws: The error of the load.
    public func replacement(for refused: S3Credentials) async throws(UploadFailure) -> S3Credentials? {
        let found: S3Credentials
        switch state {
        case .ready(let credentials, _) where !credentials.provesSame(as: refused): return credentials
        case .loading(let task, _): found = try await task.value.get()
        case .ready, .empty: found = try await begin(after: refused, isUsable: false).value.get()
        }
        return found.provesSame(as: refused) ? nil : found
    }

    /// Begins a load in a task of its own, which the cancellation of one waiting request does not cancel.
    ///
    /// - Parameters:
    ///   - before: The credentials to have again if the load fails.
    ///   - isUsable: True if requests can use `before` then: no server has refused it.
    private func begin(
        after before: S3Credentials?, isUsable: Bool
    ) -> Task<Result<S3Credentials, UploadFailure>, Never> {
        let task = Task { [load] () -> Result<S3Credentials, UploadFailure> in
            let result: Result<S3Credentials, UploadFailure>
            do throws(UploadFailure) { result = .success(try await load()) } catch {
                result = .failure(error)
            }
            end(result, before: before)
            return result
        }
        state = .loading(task, old: isUsable ? before : nil)
        return task
    }

    private func end(_ result: Result<S3Credentials, UploadFailure>, before: S3Credentials?) {
        switch result {
        case .success(let credentials):
            let left = credentials.expiration.map { $0.timeIntervalSince(now()) - Self.margin }
            state = .ready(credentials, next: left.map { moment(in: max($0, Self.pause)) })
        case .failure:
            state = before.map { .ready($0, next: $0.expiration == nil ? nil : moment(in: 0)) } ?? .empty
        }
    }

    private func moment(in seconds: TimeInterval) -> Moment {
        // The limit of about 30 years prevents an overflow of the clocks, and is longer than any wait.
        let seconds = min(seconds, 1e9)
        return Moment(
            date: now().addingTimeInterval(seconds), instant: elapsed().advanced(by: .seconds(seconds)))
    }
}
