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
    /// The property that makes the file unsafe; nil if a system call failed instead.
    package var danger: FileDanger?
    /// The permission bits of the unsafe file; 0 if a system call failed instead.
    package var mode: UInt32

    package init(
        call: String, name: String = "", code: Errno, danger: FileDanger? = nil, mode: UInt32 = 0
    ) {
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

    /// Calls `body`, which makes a system call. Calls `body` again each time that a signal interrupts the system call
    /// (`EINTR`).
    ///
    /// - Throws: `SystemCallError` if the result is -1 for another reason.
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

    /// The system's text for the error code in lower case, as a part of a sentence: `no such file or directory`.
    package var phrase: String { description.lowercased() }
}

/// A property that makes a file or folder untrustworthy.
public enum FileDanger: Hashable, Sendable {
    case notADirectory
    case notARegularFile
    case symbolicLink
    /// The file has more than one hard link; `count` is their number.
    case otherNames(count: Int)
    /// The file or folder belongs to another user; the value is that user's ID.
    case owner(UInt32)
    /// The permission bits allow at least one kind of access for the group or for other users.
    case openToOthers
    /// A folder above the file, or a symbolic link in its path, belongs to another user. The value is that user's ID.
    case parentOfAnotherUser(UInt32)
    /// Other users can write to a folder above the file.
    case parentOpenToOthers
}

extension SystemCallError {
    /// Calls `body`. If `body` throws an `Errno`, throws a `SystemCallError` with this code, the system call `call` and
    /// the file name `name`.
    static func of<Value>(
        _ call: String, _ name: String = "", _ body: () throws(Errno) -> Value
    ) throws(SystemCallError) -> Value {
        do throws(Errno) { return try body() } catch {
            throw SystemCallError(call: call, name: name, code: error)
        }
    }
}
