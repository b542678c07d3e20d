import FerryTestSupport
import Foundation
import Synchronization
import Testing

@testable import FerryCommand

/// Tests with the output of busctl for NetworkManager 1.42, and with faulty output.
@Suite(.timeLimit(.minutes(10)))
struct NetworkManagerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Makes a `NetworkManager` that runs a script instead of busctl.
    private func manager(_ script: String) throws -> NetworkManager {
        let program = try directory.program("#!/bin/sh\n\(script)\n", at: "bin/busctl")
        // A script may take long to start on a busy machine.
        return NetworkManager(program: program, timeout: 50)
    }

    @Test(arguments: [(1, true), (2, false), (3, true), (4, false), (0, false)])
    func `a guess that a network is metered counts`(value: Int, isMetered: Bool) async throws {
        let manager = try manager(
            #"""
            case "$*" in
            *Metered*) echo '{"type":"u","data":\#(value)}'; echo '{"type":"o","data":"/org/freedesktop/NetworkManager/ActiveConnection/7"}';;
            *ActiveConnection/7*Id) echo '{"type":"s","data":"Wired connection 1"}';;
            esac
            """#)
        let network = try await manager.current()
        #expect(network == CurrentNetwork(name: "Wired connection 1", isMetered: isMetered))
    }

    @Test func `a connection that has gone meanwhile has no name`() async throws {
        let manager = try manager(
            #"""
            case "$*" in
            *Metered*) echo '{"type":"u","data":4}'; echo '{"type":"o","data":"/a/1"}';;
            *) echo "Failed to get property Id" >&2; exit 1;;
            esac
            """#)
        #expect(try await manager.current() == CurrentNetwork())
    }

    @Test func `without a connection there is no network`() async throws {
        let manager = try manager(#"echo '{"type":"u","data":0}'; echo '{"type":"o","data":"/"}'"#)
        #expect(try await manager.current() == CurrentNetwork())
    }

    @Test(arguments: [
        (
            "echo 'Failed to connect to bus: No such file or directory' >&2; exit 1",
            "NetworkManager does not answer: Failed to connect to bus: No such file or directory"
        ),
        ("echo nonsense", "NetworkManager's answer was not understood"),
        ("echo '{\"type\":\"u\",\"data\":1}'", "NetworkManager's answer was not understood"),
        ("head -c 65536 /dev/zero", "NetworkManager's answer was not understood"),
        ("head -c 65537 /dev/zero", "NetworkManager does not answer"),
    ])
    func `a failed question to NetworkManager is reported with the reason`(script: String, reason: String)
        async throws
    {
        let manager = try manager(script)
        await #expect(throws: NetworkManager.Silence(reason: reason)) { try await manager.current() }
    }

    @Test func `a NetworkManager that says nothing is given up after its time`() async throws {
        var manager = try manager("exec sleep 60")
        #expect(NetworkManager().timeout == 5)
        manager.timeout = 0
        let begin = ContinuousClock.now
        await #expect(throws: NetworkManager.Silence(reason: "NetworkManager does not answer")) {
            try await manager.current()
        }
        #expect(.now - begin < .seconds(50))
    }

    @Test func `the reason is noted once, and again after a response`() async {
        let answers = Mutex<[Result<CurrentNetwork, NetworkManager.Silence>]>([
            .failure(.init(reason: "a")), .failure(.init(reason: "a")), .success(CurrentNetwork()),
            .failure(.init(reason: "a")),
        ])
        let notes = Mutex<[String]>([])
        let provider = NetworkInfoProvider(
            network: { () throws(NetworkManager.Silence) in try answers.withLock { $0.removeFirst() }.get() },
            note: { note in notes.withLock { $0.append(note) } })
        for _ in 0..<4 { _ = await provider.current() }
        #expect(notes.withLock { $0 } == ["no network is avoided: a", "no network is avoided: a"])
    }
}
