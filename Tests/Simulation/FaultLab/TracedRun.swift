import FerryStateSimulation
import Foundation

/// A run of `write` under strace, which can make any system call fail.
struct TracedRun {
    /// One system call on the state folder: its name, and its number among the calls of this name on its thread.
    struct Point: Hashable {
        var call: String
        var index: Int
    }

    struct NotSeen: Error {}

    /// The system calls that use the queue's files. A question mark means that some machines do not have the call.
    static let calls = [
        "openat", "write", "pwrite64", "fdatasync", "fsync", "?renameat", "renameat2", "unlinkat", "close",
        "linkat",
        "ftruncate", "pread64", "getdents64", "?mkdir", "flock",
    ]

    static let isPossible = (try? Child.output(of: ["strace", "-f", "true"])) != nil

    let folder: StateFolder
    let seed: UInt64
    let isInline: Bool
    var count = 12
    var mutant: Mutant?

    /// Runs `write` under strace with more options.
    ///
    /// - Parameter position: The number of changes that the folder already contains.
    func run(_ options: [String], log: String = "/dev/null", from position: Int) throws -> (
        Child.Ending, Life
    ) {
        var words = ["strace", "-f", "-qq", "-o", log] + options
        words += [Child.laboratory, "write", folder.path, "--seed", "\(seed)", "--after", "\(position)"]
        words +=
            ["--up-to", "\(position)", "--count", "\(count)", "--close"] + (isInline ? ["--inline"] : [])
        if let mutant { words += ["--mutant", mutant.rawValue] }
        let child = try Child(words)
        var life = Life()
        while let lines = child.lines(waiting: 120_000) {
            if lines.isEmpty { break }
            life.take(lines)
        }
        return (child.wait(), life)
    }

    static var trace: String { "trace=" + calls.joined(separator: ",") }

    /// Returns the calls that a run makes on the folder, in the order in which each first occurs.
    func points(from position: Int) throws -> [Point] {
        let log = folder.path + ".log"
        defer { try? FileManager.default.removeItem(atPath: log) }
        _ = try run(["-y", "-e", Self.trace], log: log, from: position)
        var counts: [String: Int] = [:]
        var seen: Set<Point> = []
        var points: [Point] = []
        for line in try StraceLog.lines(log) {
            let thread = line.prefix { $0 != " " }
            let rest = line.dropFirst(thread.count).drop { $0 == " " }
            guard let bracket = rest.firstIndex(of: "("), !rest.hasPrefix("<...") else { continue }
            let call = String(rest[..<bracket])
            counts["\(thread) \(call)", default: 0] += 1
            guard
                rest.contains(folder.path + "\"") || rest.contains(folder.path + ">")
                    || rest.contains(folder.path + "/")
            else { continue }
            let point = Point(call: call, index: counts["\(thread) \(call)", default: 0])
            if seen.insert(point).inserted { points.append(point) }
        }
        guard !points.isEmpty else { throw NotSeen() }
        return points
    }
}

enum StraceLog {
    static func lines(_ path: String) throws -> [String] {
        // File names in the log may be invalid UTF-8.
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }
}
