import Foundation
import HTTPTypes

/// What a request may not show, to be cut from texts that others wrote: servers repeat what they refuse.
struct Secrets: Sendable {
    private struct Source: Hashable {
        var url: String
        var fields: HTTPFields
    }

    /// Renewed credentials come with every retry; what is older than this no server repeats.
    private static let sourceLimit = 16
    /// Shorter ones stand in many words.
    private static let shortest = 4
    /// A query value of this length is no word, whatever its name.
    private static let telling = 16

    /// Fewer characters of such a value tell nobody anything.
    private static let shownPrefix = 8

    private var sources: [Source] = []

    /// Requests as they were asked for, adapted and redirected.
    mutating func add(_ request: TransportRequest) {
        let source = Source(url: request.url, fields: request.fields)
        guard !sources.contains(source) else { return }
        if sources.count == Self.sourceLimit { sources.removeFirst() }
        sources.append(source)
    }

    func cut(from text: String) -> String {
        var text = text
        for value in Set(sources.flatMap(Self.values)).sorted(by: { $0.count > $1.count }) {
            text = text.replacingOccurrences(of: value, with: Redaction.mark)
            if value.count >= Self.telling { text = Self.cut(value, whereItIsCutOffIn: text) }
        }
        return text
    }

    /// What servers say is shortened, perhaps in the middle of a secret.
    private static func cut(_ value: String, whereItIsCutOffIn text: String) -> String {
        guard let start = text.range(of: value.prefix(shownPrefix)) else { return text }
        let length = zip(text[start.lowerBound...], value).prefix { $0 == $1 }.count
        let end = text.index(start.lowerBound, offsetBy: length)
        return text[..<start.lowerBound] + Redaction.mark + text[end...]
    }

    private static func values(of source: Source) -> [String] {
        var values: [String] = []
        if let parts = URLComponents(string: source.url) {
            values += [parts.user, parts.password, parts.percentEncodedUser, parts.percentEncodedPassword]
                .compactMap { $0 }
            for item in (parts.queryItems ?? []) + (parts.percentEncodedQueryItems ?? []) {
                guard let value = item.value, Redaction.tellsSecret(item.name) || value.count >= telling
                else {
                    continue
                }
                values.append(value)
            }
            values += [parts.fragment, parts.percentEncodedFragment].compactMap { $0 }
        }
        for field in source.fields where Redaction.holdsSecret(field) { values += Self.values(of: field) }
        return values.filter { $0.count >= shortest }
    }

    /// The whole, what follows the scheme, and each part that is no word.
    private static func values(of field: HTTPField) -> [String] {
        var values = [field.value]
        let words = field.value.split(separator: " ", maxSplits: 1)
        if words.count == 2 {
            values.append(String(words[1]))
            if words[0].lowercased() == "basic", let data = Data(base64Encoded: String(words[1])) {
                values += String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1).map(
                    String.init)
            }
        }
        values += field.value.split { " ,;=\"".contains($0) }.filter { $0.count >= 8 }.map(String.init)
        return values
    }
}

/// A context that is printed shows none.
extension Secrets: CustomStringConvertible, CustomReflectable {
    var description: String { Redaction.mark }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
