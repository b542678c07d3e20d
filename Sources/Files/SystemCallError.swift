package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A call of the system that failed.
package struct SystemCallError: Error, Hashable, CustomStringConvertible {
    package var call: String
    /// The name that was looked up; empty if there is none.
    package var name: String
    package var code: Errno
    /// The property that makes the file unfit, with its mode, if no call failed.
    package var danger: FileDanger?
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

    /// The error of the call that has just returned.
    package init(_ call: String, name: String = "") {
        self.init(call: call, name: name, code: .last)
    }

    /// The system's text for the code: `No such file or directory`.
    package var reason: String { code.description }

    package var description: String { "\(call): \(reason)" }

    /// Makes the call again while a signal interrupts it (`EINTR`).
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
    /// The code of the call that has just failed.
    package static var last: Errno { Errno(rawValue: errno) }

    /// The system's text as a part of a sentence: `no such file or directory`.
    package var phrase: String { description.lowercased() }
}

/// A property of a file or folder because of which it must not be trusted.
public enum FileDanger: Hashable, Sendable {
    case notADirectory
    case notARegularFile
    case symbolicLink
    case otherNames(count: Int)
    case owner(UInt32)
    /// Others may read or write it.
    case openToOthers
    /// A folder above it may be changed by everybody.
    case parentOpenToAll
}

extension SystemCallError {
    /// Names the call whose `Errno` `body` throws.
    static func of<Value>(
        _ call: String, _ name: String = "", _ body: () throws(Errno) -> Value
    ) throws(SystemCallError) -> Value {
        do throws(Errno) { return try body() } catch {
            throw SystemCallError(call: call, name: name, code: error)
        }
    }
}
