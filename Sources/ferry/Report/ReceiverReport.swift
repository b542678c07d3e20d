import FerryFiles
import FerryProtocols
import FerryReceiver

/// The output of `ferry serve`: a line for each event, for users or as JSON. `RefusalThrottle` limits the number of
/// lines about refused requests.
struct ReceiverReport: Sendable {
    enum Format: Sendable { case text, json }

    let format: Format
    private let output = LineOutput()
    private let refusals = RefusalThrottle()

    init(_ format: Format) { self.format = format }

    func print(_ event: ReceiverEvent) {
        var omitted = 0
        if case .refused(let status, let reason, _, let client) = event {
            guard let count = refusals.next(.init(client: client, status: status, reason: reason)) else {
                return
            }
            omitted = count
        }
        switch format {
        case .text: if let text = Self.text(event, omitted: omitted) { write(SafeLine.text(text)) }
        case .json: if let line = ReceiverLine(event, omitted: omitted) { write(JSONLine.text(line)) }
        }
    }

    /// Prints the line about the start of the receiver, with its URLs and its folder. In the format `text`, also prints
    /// how to use the token.
    ///
    /// - Parameter token: The token that the receiver made; nil if the user gave a token, or if clients need none.
    func print(_ address: ReceiverAddress, folder: String, token: ReceiverToken?) {
        let line = ListeningLine(
            url: address.url, tus: address.url + "files/", folder: folder, tokenFile: token?.path)
        switch format {
        case .text:
            write(SafeLine.text("receiving into \(folder) at \(line.url) (tus at \(line.tus))"))
            if let token { write(Self.instructions(token, line.tus)) }
        case .json: write(JSONLine.text(line))
        }
    }

    /// Returns the text for users about the token. The text contains the token itself only if this run of the receiver
    /// created the token.
    private static func instructions(_ token: ReceiverToken, _ url: String) -> String {
        let path = SafeLine.text(token.path)
        let first = token.isNew ? "token        \(token.text) (kept in \(path))\n" : ""
        return first + "set up with  ferry init tus+\(url) --token-file \(ShellWord.quoted(path))"
    }

    /// Prints the number of refusals that were not printed since the last printed refusal, if there are any. Then
    /// returns when all lines are written, or after two seconds.
    func flush() async {
        let omitted = refusals.takeOmitted()
        if omitted > 0 {
            switch format {
            case .text: write("refused      \(omitted) more")
            case .json: write(JSONLine.text(ReceiverLine(omitted: omitted)))
            }
        }
        await output.flush()
    }

    /// Adds the line to the buffered output without blocking. A program that stops reading the output cannot stop the
    /// receiver.
    private func write(_ line: String) { output.write(line) }

    private static func text(_ event: ReceiverEvent, omitted: Int) -> String? {
        switch event {
        case .received: nil
        case .created(_, let name, let size):
            "begun        \(name)" + (size.map { " (\(ByteFormat.sentence($0)))" } ?? "")
        case .finished(_, let name, let size): "stored       \(name) (\(ByteFormat.sentence(size)))"
        case .interrupted(_, let name, let kept):
            "interrupted  \(name) (\(ByteFormat.sentence(kept)) kept)"
        case .resumed(_, let name, let offset): "resumed      \(name) (at \(ByteFormat.sentence(offset)))"
        case .removed(_, let name): "removed      \(name)"
        case .expired(_, let name): "expired      \(name)"
        case .refused(let status, let reason, let request, let client):
            "refused      \(status) \(request.isEmpty ? "" : request + ": ")\(reason)"
                + note(client: client, omitted: omitted)
        }
    }

    /// Returns the end of a line about a refusal, such as ` (from 192.0.2.7; 12 more before)`. Returns an empty text if
    /// the client is unknown and `omitted` is 0.
    private static func note(client: String, omitted: Int) -> String {
        let parts =
            (client.isEmpty ? [] : ["from \(client)"]) + (omitted == 0 ? [] : ["\(omitted) more before"])
        return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
    }
}
