import FerryFiles
import FerryProtocols
import FerryReceiver

/// The output of `ferry serve`: a line for each event, but few for refused requests (`RefusalThrottle`).
struct ReceiverReport: Sendable {
    let isJSON: Bool
    private let output = LineOutput()
    private let refusals = RefusalThrottle()

    func print(_ event: ReceiverEvent) {
        var omitted = 0
        if case .refused(let status, let reason, _, let client) = event {
            guard let count = refusals.next(.init(client: client, status: status, reason: reason)) else {
                return
            }
            omitted = count
        }
        let text = Self.text(event, omitted: omitted).map(SafeLine.text)
        if let line = isJSON ? ReceiverLine(event, omitted: omitted)?.json : text { output.write(line) }
    }

    /// Prints the line about the start of the receiver, and how to use the token that the receiver made.
    func print(_ address: ReceiverAddress, folder: String, token: ReceiverToken?) {
        let line = ListeningLine(
            url: address.url, tus: address.url + "files/", folder: folder, tokenFile: token?.path)
        if isJSON { return output.write(line.json) }
        output.write(SafeLine.text("receiving into \(folder) at \(line.url) (tus at \(line.tus))"))
        if let token { output.write(Self.instructions(token, line.tus)) }
    }

    /// Returns the text about the token. It contains the token itself only if this run of the receiver created it.
    private static func instructions(_ token: ReceiverToken, _ url: String) -> String {
        let path = SafeLine.text(token.path)
        let first = token.isNew ? "token        \(token.text) (kept in \(path))\n" : ""
        return first + "set up with  ferry init tus+\(url) --token-file \(ShellWord.quoted(path))"
    }

    func flush() async {
        let omitted = refusals.takeOmitted()
        if omitted > 0 {
            output.write(isJSON ? ReceiverLine(omitted: omitted).json : "refused      \(omitted) more")
        }
        await output.flush()
    }

    private static func text(_ event: ReceiverEvent, omitted: Int) -> String? {
        switch event {
        case .received: nil
        case .created(_, let name, let size):
            "begun        \(name)" + (size.map { " (\(ByteFormat.sentence($0)))" } ?? "")
        case .finished(_, let name, let size): "stored       \(name) (\(ByteFormat.sentence(size)))"
        case .interrupted(_, let name, let kept): "interrupted  \(name) (\(ByteFormat.sentence(kept)) kept)"
        case .resumed(_, let name, let offset): "resumed      \(name) (at \(ByteFormat.sentence(offset)))"
        case .removed(_, let name): "removed      \(name)"
        case .expired(_, let name): "expired      \(name)"
        case .refused(let status, let reason, let request, let client):
            "refused      \(status) \(request.isEmpty ? "" : request + ": ")\(reason)"
                + note(client: client, omitted: omitted)
        }
    }

    /// Returns the end of a line about a refusal, such as ` (from 192.0.2.7; 12 more before)`.
    private static func note(client: String, omitted: Int) -> String {
        let parts = [client.isEmpty ? nil : "from \(client)", omitted == 0 ? nil : "\(omitted) more before"]
            .compactMap { $0 }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
    }
}
