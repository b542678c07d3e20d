import FerryProtocols
import FerryReceiver
import Foundation

/// What the receiver does, a line each: for people, or for programs.
enum ReceiverReport: Sendable {
    case text, json

    func print(_ event: ReceiverEvent) {
        switch self {
        case .text: if let text = Self.text(event) { write(SafeLine.text(text)) }
        case .json: if let line = ReceiverLine(event) { write(JSONLine.text(line)) }
        }
    }

    func print(_ address: ReceiverAddress, folder: String) {
        let line = ListeningLine(url: address.url, tus: address.url + "files/", folder: folder)
        switch self {
        case .text: write(SafeLine.text("receiving into \(folder) at \(line.url) (tus at \(line.tus))"))
        case .json: write(JSONLine.text(line))
        }
    }

    /// In one piece: connections end at the same time.
    private func write(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    private static func text(_ event: ReceiverEvent) -> String? {
        switch event {
        case .received: nil
        case .created(_, let name, let size):
            "begun        \(name)" + (size.map { " (\(ByteFormat.sentence($0)))" } ?? "")
        case .finished(_, let name, let size): "stored       \(name) (\(ByteFormat.sentence(size)))"
        case .interrupted(let id, let kept): "interrupted  \(id) (\(ByteFormat.sentence(kept)) kept)"
        case .removed(let id): "removed      \(id)"
        case .expired(let id): "expired      \(id)"
        case .refused(let status, let reason): "refused      \(status) \(reason)"
        }
    }
}
