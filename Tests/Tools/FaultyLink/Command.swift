import ArgumentParser
import FerryTestSupport
import Foundation

/// Runs a `FaultyLink` between clients and a server. Prints its port first, and its counts at SIGTERM or SIGINT.
@main
struct Command: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faulty-link",
        abstract: "A TCP proxy on 127.0.0.1 that is as bad a link as it is told to be.",
        discussion: """
            Prints `port N` once it listens. At the end it prints one line of JSON: bytes that clients sent, \
            connections, breaks, and the seconds for which the link was there.
            """)

    @Option(help: "The server's port on 127.0.0.1.") var to: Int
    @Option(help: "Where to listen; a free port if left out.") var port = 0
    @Flag(help: "Listen on every address, for clients in other network namespaces.") var anywhere = false
    @Option(help: "Bytes a second each way, over all connections.") var bandwidth: Int?
    @Option(help: "Milliseconds that a byte is on its way.") var latency = 0.0
    @Option(help: "Milliseconds that it may take longer, by chance.") var jitter = 0.0
    @Option(help: "The most bytes that arrive together.") var segmentSize: Int?
    @Option(help: "Milliseconds that a new connection waits.") var acceptDelay = 0.0
    @Option(help: "So many `100 Continue` before the first answer.") var interimAnswers = 0
    @Option(parsing: .upToNextOption, help: "Connections break after so many bytes of all clients.")
    var cutAfter: [Int] = []
    @Option(help: "How: reset, close; in turn if left out.", transform: named) var ending: LinkFaults.Ending?
    @Option(help: "Seconds that the link is there before each outage.") var up: Double?
    @Option(help: "Seconds that an outage lasts.") var down = 1.0
    @Option(help: "What an outage is: cut, close, freeze, silence, mute, refuse.", transform: named)
    var outage = LinkOutage.cut
    @Option(help: "What chance begins with.") var seed: UInt64 = 1

    private var faults: LinkFaults {
        var faults = LinkFaults()
        faults.bandwidth = bandwidth
        faults.latency = .milliseconds(latency)
        faults.jitter = .milliseconds(jitter)
        faults.segmentSize = segmentSize
        faults.acceptDelay = .milliseconds(acceptDelay)
        faults.interimAnswers = interimAnswers
        faults.cutsAfter = cutAfter
        faults.ending = ending
        if let up { faults.outages = LinkSchedule(up: .seconds(up), down: .seconds(down), outage) }
        faults.seed = seed
        return faults
    }

    func validate() throws {
        guard (1...65_535).contains(to), (0...65_535).contains(port) else {
            throw ValidationError("a port is a number from 1 to 65535")
        }
        let numbers = [latency, jitter, acceptDelay, up ?? 0, down]
        guard numbers.allSatisfy({ $0 >= 0 && $0 < 1e9 }) else {
            throw ValidationError("times are numbers from 0 to 10^9")
        }
        guard bandwidth.map({ $0 > 0 }) ?? true, segmentSize.map({ $0 > 0 }) ?? true else {
            throw ValidationError("--bandwidth and --segment-size are numbers above 0")
        }
    }

    func run() throws {
        // The signals are blocked before the first thread starts, so that only `sigwait` receives them.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let link = try FaultyLink(to: to, on: port, anywhere: anywhere, faults)
        say("port \(link.port)")
        var number: Int32 = 0
        sigwait(&signals, &number)
        let uptime = link.uptime / .seconds(1)
        link.stop()
        say(
            "{\"bytes\":\(link.bytesThrough),\"connections\":\(link.connectionCount),"
                + "\"breaks\":\(link.cutCount),\"uptime\":\(uptime)}")
    }
}

/// Writes a line at once, without a buffer, because another process waits for the port.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

private func named<Value: RawRepresentable<String> & CaseIterable>(_ word: String) throws -> Value {
    guard let value = Value(rawValue: word) else {
        throw ValidationError("expected \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return value
}
