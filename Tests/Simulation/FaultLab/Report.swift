import ArgumentParser
import FerryStateSimulation
import Foundation
import Synchronization

/// The output of the laboratory. Each event is one line, which is written at once and complete even if the process ends
/// right after.
enum Report {
    static func say(_ line: String) {
        // `writev` instead of `write`: the tests inject faults into calls of `write`, which must be those on the
        // queue's files alone.
        let bytes = Array((line + "\n").utf8)
        bytes.withUnsafeBytes { buffer in
            var part = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: buffer.baseAddress), iov_len: buffer.count)
            _ = writev(1, &part, 1)
        }
    }

    /// Ends the process with an exit status.
    static func leave(_ status: Int32) -> Never { exit(status) }

    static var kernel: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The type of the file system that holds `folder`.
    static func fileSystem(of folder: String) -> String {
        let name = (try? Child.output(of: ["stat", "-f", "-c", "%T", folder])) ?? ""
        return name.isEmpty ? "unknown" : name == "ext2/ext3" ? "ext4" : name
    }
}

/// The counts of a campaign, printed as one line. The command fails if anything was lost or wrong.
final class Tally: Sendable {
    private struct Counts {
        var figures: [(name: String, value: Int)] = []
        var lost = 0
        var wrong = 0
    }

    private let counts = Mutex(Counts())
    private let campaign: String

    init(_ campaign: String) { self.campaign = campaign }

    func add(_ name: String, _ value: Int = 1) {
        counts.withLock { counts in
            if let index = counts.figures.firstIndex(where: { $0.name == name }) {
                counts.figures[index].value += value
            } else {
                counts.figures.append((name, value))
            }
        }
    }

    func value(_ name: String) -> Int {
        counts.withLock { $0.figures.first { $0.name == name }?.value ?? 0 }
    }

    /// Counts and prints a failure.
    ///
    /// - Parameter replay: The options that repeat the failure, and the folder with its files.
    func fail(_ reason: String, isLoss: Bool, replay: String) {
        counts.withLock { counts in
            if isLoss { counts.lost += 1 } else { counts.wrong += 1 }
        }
        Report.say("FAILED \(campaign): \(reason) [\(replay)]")
    }

    func fail(_ fault: StateCheck.Fault, replay: String) {
        fail("\(fault)", isLoss: fault.isLoss, replay: replay)
    }

    var failures: Int { counts.withLock { $0.lost + $0.wrong } }

    func summarize(_ conditions: String) {
        let (figures, lost, wrong) = counts.withLock { ($0.figures, $0.lost, $0.wrong) }
        let words = figures.map { "\($0.value) \($0.name)" }.joined(separator: ", ")
        Report.say(
            "\(campaign): \(words); \(lost) acknowledged lost, \(wrong) wrong states; \(conditions), "
                + "kernel \(Report.kernel)")
    }

    func finish(_ conditions: String) throws {
        summarize(conditions)
        if failures > 0 { throw ExitCode(1) }
    }
}
