import Foundation

/// Asks NetworkManager over the system's D-Bus, by the program for it that comes with systemd.
///
/// The names are those of its D-Bus reference: `org.freedesktop.NetworkManager` and `….Connection.Active`.
struct NetworkManager: Sendable {
    /// Why it says nothing, as part of a sentence.
    struct Silence: Error, Equatable {
        var reason: String
    }

    private static let service = "org.freedesktop.NetworkManager"
    private static let patience = 5

    /// Looked for in `PATH` unless it has a slash.
    var program = "busctl"

    /// - Throws: `Silence` if there is no NetworkManager, or it does not answer within some seconds.
    func current() async throws(Silence) -> CurrentNetwork {
        let state = try await properties(
            ["Metered", "PrimaryConnection"], of: Self.service, at: "/org/freedesktop/NetworkManager")
        guard case .number(let metered)? = state.first, case .text(let path)? = state.last else {
            throw Silence(reason: "NetworkManager says what is not understood")
        }
        // NMMetered: 1 yes, 2 no, 3 and 4 the same as a guess, 0 unknown.
        var network = CurrentNetwork(isMetered: metered == 1 || metered == 3)
        // "/" is none.
        guard path != "/" else { return network }
        // It may have gone between the two questions: the next look finds another one.
        let found = try? await properties(["Id"], of: Self.service + ".Connection.Active", at: path)
        if case .text(let name)? = found?.first { network.name = name }
        return network
    }

    /// What busctl prints with `--json=short`, a line a property.
    private struct Property: Decodable {
        enum Value: Decodable {
            case number(Int)
            case text(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    self = .number(number)
                } else {
                    self = .text(try container.decode(String.self))
                }
            }
        }

        var data: Value
    }

    private func properties(
        _ names: [String], of interface: String, at path: String
    ) async throws(Silence) -> [Property.Value] {
        let command = ChildCommand(
            words: [
                program, "--system", "--json=short", "--auto-start=false", "--timeout=\(Self.patience)",
                "get-property", Self.service, path, interface,
            ] + names, environment: ChildCommand.environment(["PATH", "DBUS_SYSTEM_BUS_ADDRESS"]),
            output: .all(atMost: 65_536))
        let result: ChildCommand.Result
        do throws(ChildCommand.CannotStart) {
            result = try await command.run(upTo: .seconds(Self.patience + 1))
        } catch {
            throw Silence(reason: "NetworkManager cannot be asked: busctl cannot be started: \(error.reason)")
        }
        guard case .exited(0) = result.ending else {
            let told = ChildCommand.Result.lastLine(of: result.complaint)
            throw Silence(reason: "NetworkManager does not answer" + (told.isEmpty ? "" : ": \(told)"))
        }
        let lines = result.output.split(separator: 0x0A)
        let values = lines.compactMap { try? JSONDecoder().decode(Property.self, from: $0).data }
        guard values.count == names.count else {
            throw Silence(reason: "NetworkManager says what is not understood")
        }
        return values
    }
}
