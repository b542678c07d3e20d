import FerryFiles
import FerryProtocols

/// A client of NetworkManager over D-Bus, with systemd's program busctl. The property names are those of
/// `org.freedesktop.NetworkManager` and `….Connection.Active` in NetworkManager's D-Bus reference.
struct NetworkManager: Sendable {
    /// The reason why NetworkManager gives no information, as a part of a sentence.
    struct Silence: Error, Equatable {
        var reason: String
    }

    private static let service = "org.freedesktop.NetworkManager"
    /// The program busctl. A name without a slash is searched in `PATH`.
    var program = "busctl"
    /// The timeout of a busctl request in seconds.
    var timeout = 5

    /// Returns the current network. Throws if busctl or NetworkManager does not run, or does not answer as expected.
    func current() async throws(Silence) -> CurrentNetwork {
        let state = try await properties(
            ["Metered", "PrimaryConnection"], of: Self.service, at: "/org/freedesktop/NetworkManager")
        guard case .whole(let metered)? = state.first, case .text(let path)? = state.last else {
            throw Silence(reason: "NetworkManager's answer was not understood")
        }
        // NMMetered: 1 yes, 2 no, 3 guessed yes, 4 guessed no, 0 unknown.
        var network = CurrentNetwork(isMetered: metered == 1 || metered == 3)
        // The path is "/" if there is no primary connection.
        guard path != "/" else { return network }
        // Without a name if the connection has ended between the two calls. The next check finds the new connection.
        let found = try? await properties(["Id"], of: Self.service + ".Connection.Active", at: path)
        network.name = found?.first?.text
        return network
    }

    /// A line of the output of `busctl --json=short`.
    private struct Property: Decodable {
        var data: JSONValue
    }

    private func properties(
        _ names: [String], of interface: String, at path: String
    ) async throws(Silence) -> [JSONValue] {
        let command = ChildCommand(
            words: [
                program, "--system", "--json=short", "--auto-start=false", "--timeout=\(timeout)",
                "get-property", Self.service, path, interface,
            ] + names, environment: ChildCommand.environment(["PATH", "DBUS_SYSTEM_BUS_ADDRESS"]),
            output: .all(atMost: 65_536))
        let result: ChildCommand.Result
        do throws(ChildCommand.CannotStart) {
            result = try await command.run(upTo: .seconds(timeout + 1))
        } catch {
            throw Silence(reason: "NetworkManager cannot be asked: busctl cannot be started: \(error.reason)")
        }
        guard case .exited(0) = result.ending else {
            let message = ChildCommand.Result.lastLine(of: result.complaint)
            throw Silence(reason: "NetworkManager does not answer" + (message.isEmpty ? "" : ": \(message)"))
        }
        let lines = result.output.split(separator: 0x0A)
        let values = lines.compactMap { try? JSONDecoder().decode(Property.self, from: $0).data }
        guard values.count == names.count else {
            throw Silence(reason: "NetworkManager's answer was not understood")
        }
        return values
    }
}

/// Finds the current network. Logs why it is unknown, unless the previous call failed for the same reason.
actor NetworkInfoProvider {
    private let network: @Sendable () async throws(NetworkManager.Silence) -> CurrentNetwork
    private let note: @Sendable (String) -> Void
    private var reported: NetworkManager.Silence?

    init(
        network: @escaping @Sendable () async throws(NetworkManager.Silence) -> CurrentNetwork = {
            () async throws(NetworkManager.Silence) in try await NetworkManager().current()
        }, note: @escaping @Sendable (String) -> Void
    ) {
        self.network = network
        self.note = note
    }

    func current() async -> CurrentNetwork? {
        do throws(NetworkManager.Silence) {
            let network = try await network()
            reported = nil
            return network
        } catch {
            if reported != error { note("no network is avoided: \(error.reason)") }
            reported = error
            return nil
        }
    }
}
