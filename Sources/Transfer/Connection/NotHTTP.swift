/// An error for a response that breaks the rules of HTTP. `reason` says how, for a message.
struct NotHTTP: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
