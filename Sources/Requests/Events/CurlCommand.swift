import FerryProtocols
public import FerryTransfer
import HTTPTypes

extension RequestSummary {
    /// The request as a curl command that can be pasted into a shell, without secrets.
    ///
    /// A body is named `--data-binary '@BODY (1048576 bytes)'`, for a file that the user must create, or `'@BODY'` if
    /// the size is unknown. A GET or HEAD has none.
    public var curlCommand: String {
        var words = ["curl -v"]
        words.append(method == .head ? "-I" : "-X \(Self.quoted(method.rawValue))")
        // Without the semicolon, curl removes a field with an empty value.
        words += fields.map {
            "-H " + Self.quoted($0.value.isEmpty ? "\($0.name.rawName);" : "\($0.name.rawName): \($0.value)")
        }
        if bodyLength != 0, ![.get, .head].contains(method) {
            // Without this option, curl would send the content type of a form.
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
        // curl treats brackets and braces as patterns, and a leading dash as an option.
        let needsCare = url.hasPrefix("-") || url.contains { "[]{}".contains($0) }
        return [(needsCare ? "-g --url " : "") + Self.quoted(url)]
    }

    /// The two arguments of curl for a request over a Unix socket: the socket's path and the URL.
    private var socketAddress: (path: String, url: String)? {
        guard UploadAddress.isUnixSocket(url), let start = url.firstRange(of: "://")?.upperBound else {
            return nil
        }
        let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        guard let path = url[start..<end].percentDecoded() else { return nil }
        return (path, "http://\(UploadAddress.socketHost)\(url[end...])")
    }

    /// Quotes a text as one word for a POSIX shell (XCU §2.2.2).
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
