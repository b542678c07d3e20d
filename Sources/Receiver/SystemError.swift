import Foundation

/// A system call that failed.
struct SystemError: Error, Hashable, CustomStringConvertible {
    let call: String
    let code: CInt

    var description: String { "\(call): \(reason)" }
    var reason: String { String(cString: strerror(code)) }

    /// The error of the call that has just returned.
    static func last(_ call: String) -> SystemError { SystemError(call: call, code: errno) }

    /// Makes the call again while a signal interrupts it (`EINTR`).
    @discardableResult
    static func check<Result: SignedInteger>(
        _ call: String, _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = body()
            if result != -1 { return result }
            if errno != EINTR { throw last(call) }
        }
    }
}
