import FerryProtocols
import FerryTransfer

/// The value of `proxy` in the configuration.
enum ProxyChoice: Decodable, Equatable {
    case none
    case environment
    case server(ProxyAddress, password: Secret?, except: [String])

    private static let expected =
        "\"none\", \"environment\" or an address such as \"http://me@proxy.example.org:3128\""

    init(from decoder: any Decoder) throws {
        let path = decoder.codingPath.names
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            switch text {
            case "none": self = .none
            case "environment": self = .environment
            default:
                guard text.contains("://") else {
                    throw ConfigurationIssue(path: path, expected: Self.expected)
                }
                self = .server(try Self.address(text, at: path), password: nil, except: [])
            }
            return
        }
        let fields = try Fields(decoder, ConfigurationTable.proxy)
        let text: String = try fields.required(
            "url", "an address such as \"http://me@proxy.example.org:3128\"")
        let address = try Self.address(text, at: path + ["url"])
        let password: Secret? = try fields.value("password")
        if password != nil, address.user == nil {
            throw fields.error("url", "an address with the password's user, http://me@host:port")
        }
        self = .server(address, password: password, except: try fields.value("except") ?? [])
    }

    private static func address(_ text: String, at path: [String]) throws -> ProxyAddress {
        let address: ProxyAddress
        do throws(UploadFailure) { address = try ProxyAddress(text) } catch {
            throw ConfigurationIssue(path: path, expected: "a proxy's address; \(error.summary)")
        }
        guard address.password == nil else {
            throw ConfigurationIssue(
                path: path, expected: "an address without a password; that goes beside url, as password")
        }
        return address
    }

    var password: Secret? {
        if case .server(_, let password, _) = self { password } else { nil }
    }

    /// - Parameter read: Reads the password when a request needs it; not called for one in plain text.
    func settings(
        read: @escaping @Sendable (Secret) async throws(UploadFailure) -> String
    ) -> ProxySettings {
        switch self {
        case .none: return .none
        case .environment: return .environment
        case .server(var address, let password, let exceptions):
            if let password {
                let fetch = { @Sendable () async throws(UploadFailure) in try await read(password) }
                address.password =
                    if case .literal(let text) = password { ProxyPassword(text) } else {
                        ProxyPassword(from: "\(password)", fetch: fetch)
                    }
            }
            return .server(address, except: NoProxyList(exceptions))
        }
    }
}
