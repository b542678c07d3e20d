package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A system call that failed, or a file that is unsafe to use.
package struct SystemCallError: Error, Hashable, CustomStringConvertible {
    package var call: String
    /// The name of the file that the call used; empty if there is none.
    package var name: String
    package var code: Errno
    /// The property that makes the file unsafe, if it is so.
    package var danger: FileDanger?
    /// The permission bits of the unsafe file.
    package var mode: UInt32

    package init(call: String, name: String = "", code: Errno, danger: FileDanger? = nil, mode: UInt32 = 0) {
        self.call = call
        self.name = name
        self.code = code
        self.danger = danger
        self.mode = mode
    }

    /// Makes the error from the `errno` of the call that has just failed.
    package init(_ call: String, name: String = "") {
        self.init(call: call, name: name, code: .last)
    }

    /// The system's text for the code: `No such file or directory`.
    package var reason: String { code.description }

    package var description: String { "\(call): \(reason)" }

    /// Makes the system call in `body` until no signal interrupts it (`EINTR`).
    /// - Throws: `SystemCallError` if the result is -1.
    @discardableResult
    package static func check<Result: SignedInteger>(
        _ call: String, _ name: String = "", _ body: () -> Result
    ) throws(SystemCallError) -> Result {
        while true {
            let result = body()
            if result != -1 { return result }
            if errno != EINTR { throw SystemCallError(call, name: name) }
        }
    }
}

extension Errno {
    /// The error code (`errno`) of the system call that has just failed on this thread.
    package static var last: Errno { Errno(rawValue: errno) }

    /// The system's text in lower case: `no such file or directory`.
    package var phrase: String { description.lowercased() }
}

/// A property that makes a file or folder untrustworthy.
public enum FileDanger: Hashable, Sendable {
    case notADirectory
    case notARegularFile
    case symbolicLink
    /// The file has this number of hard links.
    case otherNames(count: Int)
    /// The file or folder belongs to this other user.
    case owner(UInt32)
    /// The permission bits allow access for the group or for others.
    case openToOthers
    /// A folder above the file, or a link in its path, belongs to this other user.
    case parentOfAnotherUser(UInt32)
    /// Other users can write to a folder above the file.
    case parentOpenToOthers
}

extension SystemCallError {
    /// Calls `body`, and makes a `SystemCallError` of its `Errno`.
    static func of<Value>(
        _ call: String, _ name: String = "", _ body: () throws(Errno) -> Value
    ) throws(SystemCallError) -> Value {
        do throws(Errno) { return try body() } catch {
            throw SystemCallError(call: call, name: name, code: error)
        }
    }
}
