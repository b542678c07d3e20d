import FerryTestSupport
import Foundation
import Synchronization

/// A child process whose output is read while it runs.
final class Child {
    enum Ending: Hashable {
        case exited(Int32)
        case killed(Int32)
        case stopped
    }

    struct CannotStart: Error {
        var program: String
        var code: Int32
    }

    let id: pid_t
    private let descriptor: Int32
    private var unread: [UInt8] = []
    private var isReaped = false

    // A child that inherits the pipe of another one would keep it open, so that its output never ends. Therefore only
    // one child is started at a time.
    private static let starting = Mutex(())

    init(_ words: [String], quiet: Bool = false) throws {
        (id, descriptor) = try Self.starting.withLock { _ in
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw CannotStart(program: words[0], code: errno) }
            defer { Foundation.close(ends[1]) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            do { return (try Self.spawn(words, output: ends[1], quiet: quiet), ends[0]) } catch {
                Foundation.close(ends[0])
                throw error
            }
        }
    }

    deinit {
        if !isReaped {
            kill(id, SIGKILL)
            _ = wait()
        }
        Foundation.close(descriptor)
    }

    private static func spawn(_ words: [String], output: Int32, quiet: Bool) throws -> pid_t {
        var variables = ProcessInfo.processInfo.environment
        // With deterministic hashing every run makes the same calls in the same order.
        variables["SWIFT_DETERMINISTIC_HASHING"] = "1"
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables["PATH"] = (variables["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
        let nothing = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1
        defer { if quiet { Foundation.close(nothing) } }
        return try Spawn.program(
            words.map { Array($0.utf8) }, variables: variables.map { Array("\($0.key)=\($0.value)".utf8) },
            output: output, errors: quiet ? nothing : nil)
    }

    /// Returns the lines that have arrived, after waiting at most `milliseconds` for the first; nil at the end of the
    /// output.
    func lines(waiting milliseconds: Int32) -> [String]? {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, milliseconds) > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        unread += buffer[..<count]
        var lines: [String] = []
        while let end = unread.firstIndex(of: 0x0A) {
            lines.append(String(decoding: unread[..<end], as: UTF8.self))
            unread.removeSubrange(...end)
        }
        return lines
    }

    /// All lines up to the end of the output.
    func rest() -> [String] {
        var rest: [String] = []
        while let lines = lines(waiting: -1) { rest += lines }
        return rest
    }

    func signal(_ number: Int32) { if !isReaped { kill(id, number) } }

    func wait(orStop: Bool = false) -> Ending {
        var status: Int32 = 0
        while waitpid(id, &status, orStop ? WUNTRACED : 0) < 0, errno == EINTR {}
        if status & 0xFF == 0x7F { return .stopped }
        isReaped = true
        return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
    }

    struct Failure: Error {
        var command: String
    }

    /// Runs a program and returns its output.
    ///
    /// - Throws: `Failure` if the program fails.
    @discardableResult
    static func output(of words: [String]) throws -> String {
        let child = try Child(words, quiet: true)
        let lines = child.rest()
        guard child.wait() == .exited(0) else { throw Failure(command: words.joined(separator: " ")) }
        return lines.joined(separator: "\n")
    }

    /// The path of the program `fault-lab`, which is built in the folder of this program.
    static let laboratory: String = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = ((own ?? CommandLine.arguments[0]) as NSString).deletingLastPathComponent
        return (folder as NSString).appendingPathComponent("fault-lab")
    }()
}

/// The events that one run of `write` reported.
struct Life {
    /// The number of changes that the run found at its start; nil if it has not reported it.
    var found: Int?
    /// The numbers of the last change acknowledged as durable, and of the last change acknowledged at all.
    var durable = 0
    var acknowledged = 0
    var refused: Set<Int> = []
    var unreadable: String?
    var wrong: String?
    var calls = 0

    mutating func take(_ lines: [String]) { for line in lines { take(line) } }

    private mutating func take(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { return }
        let number = Int(words[1].prefix { $0 != " " }) ?? 0
        switch words[0] {
        case "found":
            found = number
            durable = max(durable, number)
            acknowledged = max(acknowledged, number)
        case "durable":
            durable = max(durable, number)
            acknowledged = max(acknowledged, number)
        case "written": acknowledged = max(acknowledged, number)
        case "refused": refused.insert(number)
        case "unreadable": unreadable = words[1]
        case "wrong": wrong = words[1]
        case "calls": calls = number
        default: break
        }
    }
}
