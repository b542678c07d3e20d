import FerryFiles
import FerryProtocols
public import FerryTransfer
import HTTPTypes

extension RequestSummary {
    /// The request as a curl command that can be pasted into a shell, secrets cut.
    ///
    /// The body is named by its size only, as a file in the working folder: `--data-binary '@BODY (1048576 bytes)'`;
    /// `'@BODY'` while nobody knows the size.
    public var curlCommand: String {
        var words = ["curl -v"]
        words.append(method == .head ? "-I" : "-X \(Self.quoted(method.rawValue))")
        // curl takes a field without a value for one to leave out, unless it ends so.
        words += fields.map {
            "-H " + Self.quoted($0.value.isEmpty ? "\($0.name.rawName);" : "\($0.name.rawName): \($0.value)")
        }
        if bodyLength != 0, ![.get, .head].contains(method) {
            // curl would say that it is a form.
            if fields[.contentType] == nil { words.append("-H 'Content-Type:'") }
            let name = bodyLength.map { "@BODY (\($0) bytes)" } ?? "@BODY"
            words.append("--data-binary \(Self.quoted(name))")
        }
        words += address
        return words.joined(separator: " \\\n    ")
    }

    private var address: [String] {
        if let socket = socketAddress {
            return ["--unix-socket \(Self.quoted(socket.path))", "-g \(Self.quoted(socket.url))"]
        }
        // Brackets and braces would be patterns, and a dash in front an option.
        let needsCare = url.hasPrefix("-") || url.contains { "[]{}".contains($0) }
        return [(needsCare ? "-g --url " : "") + Self.quoted(url)]
    }

    /// curl wants the path of a Unix socket apart from the address.
    private var socketAddress: (path: String, url: String)? {
        guard UploadAddress.isUnixSocket(url), let start = url.firstRange(of: "://")?.upperBound else {
            return nil
        }
        let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        guard let path = url[start..<end].percentDecoded() else { return nil }
        return (path, "http://\(UploadAddress.socketHost)\(url[end...])")
    }

    /// One word for a POSIX shell, whatever is in it (XCU §2.2.2).
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
