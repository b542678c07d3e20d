import FerryProtocols
import HTTPTypes

/// The secrets of requests, which servers often repeat in their texts.
struct Secrets: Sendable {
    /// The certainty that a value is a secret, in ascending order.
    enum Certainty: Sendable, Comparable {
        /// A user name beside a password.
        case userName
        /// A query value of at least 16 characters whose name does not suggest a secret.
        case longValue
        /// A value in a URL that its name or its position marks as a secret, possibly made by the server, such as a
        /// session's id.
        case secret
        /// A value of a header field or of the configuration that is a secret.
        case credential
    }

    private struct Source: Hashable {
        var url: String
        var fields: HTTPFields
        var hidden: [String] = []
    }

    /// A request (its URL, its header fields and its hidden secrets) with the secrets that were found in it.
    private struct Entry {
        var source: Source
        var found: [(value: String, certainty: Certainty)]
        /// The byte sequences of which a text that repeats one of the secrets, or its beginning, contains at least one.
        var traces: [[UInt8]]

        init(_ source: Source, inURL certainty: Certainty = .secret) {
            self.source = source
            let values =
                Secrets.values(inURL: source.url, certainty)
                + source.fields.filter { Redaction.holdsSecret($0) }.flatMap { Secrets.values(of: $0) }
                + source.hidden.map { ($0, .credential) }
            found = values.filter { $0.0.count >= Secrets.shortest }
            traces = found.flatMap { Secrets.traces(of: $0.value) }
        }
    }

    /// The maximum number of requests whose secrets are stored: each retry can have new credentials. A server's text
    /// repeats the secrets of a recent request, or configured ones, which stay.
    private static let sourceLimit = 32
    /// The minimum length of the secrets in URLs and header fields. A shorter text occurs in many words.
    private static let shortest = 4
    /// The minimum length of a value that is possibly a secret, whatever its name is, and of a long secret.
    static let telling = 16
    /// The minimum length of a secret that is cut from a URL, of which a shorter one is often an ordinary word.
    private static let shortestInAddress = 8
    /// The number of leading characters by which a long secret is found, even if the rest is missing.
    static let shownPrefix = 8

    /// The secrets in a configured URL, and in the header fields that the transport adds.
    private var configured: [Entry] = []
    /// The secrets in the URLs and header fields of the last requests.
    private var recent: [Entry] = []
    private var entries: some Sequence<Entry> { [configured, recent].joined() }
    /// The secrets that were passed to `init`, such as those in the bodies of requests.
    private var values: [String] = []
    private var possible: [String] = []
    private var tracesOfValues: [[UInt8]] = []

    /// - Parameters:
    ///   - values: Secrets, whatever their length.
    ///   - possible: Values that are possibly secrets. They are cut only as a whole, and never from a URL.
    init(_ values: [String] = [], possible: [String] = []) {
        for value in values { add(value, to: \.values) }
        for value in possible { add(value, to: \.possible) }
    }

    /// Adds the secrets of a request: as the caller made it, after the adapters, and after each redirect.
    mutating func add(_ request: TransportRequest) {
        add(Source(url: request.url, fields: request.fields, hidden: request.hiddenSecrets))
    }

    /// Adds the secrets in a configured URL, and in header fields that the transport adds. They stay.
    mutating func add(configuredURL url: String, fields: HTTPFields) {
        let source = Source(url: url, fields: fields)
        if !knows(source) { configured.append(Entry(source, inURL: .credential)) }
    }

    mutating func add(_ other: Secrets) {
        configured += other.configured.filter { !knows($0.source) }
        for entry in other.recent where !knows(entry.source) { append(entry) }
        for value in other.values { add(value, to: \.values) }
        for value in other.possible { add(value, to: \.possible) }
    }

    private mutating func add(_ source: Source) {
        if !knows(source) { append(Entry(source)) }
    }

    private func knows(_ source: Source) -> Bool { entries.contains { $0.source == source } }

    private mutating func append(_ entry: Entry) {
        if recent.count == Self.sourceLimit { recent.removeFirst() }
        recent.append(entry)
    }

    private mutating func add(_ value: String, to list: WritableKeyPath<Secrets, [String]>) {
        guard !value.isEmpty, !self[keyPath: list].contains(value) else { return }
        self[keyPath: list].append(value)
        tracesOfValues += Self.traces(of: value)
    }

    /// Returns the text with a mark (`…`) in place of each secret, also if a server encoded, escaped or shortened it.
    /// In those of at least 16 bytes, the case of letters is ignored.
    ///
    /// - Parameters:
    ///   - certainty: The lowest certainty of the values to cut.
    ///   - length: The minimum length of the values to cut. A shorter one can be a necessary part of a URL.
    func cut(from text: String, atLeast certainty: Certainty = .userName, ofLength length: Int = 0) -> String
    {
        guard hasTraces else { return text }
        // This quick search comes first, since most texts contain no secret and this function runs after each upload.
        guard
            ByteSearch.finds(Array(Redaction.mark.utf8), in: text)
                || UnescapedText.layers(of: text).contains(where: mayRepeat)
        else { return text }
        var known: [String: Certainty] = [:]
        for (value, kind) in entries.flatMap(\.found) { known[value] = max(known[value] ?? kind, kind) }
        // These values are certainly secrets.
        for value in values { known[value] = .credential }
        let whole = certainty <= .longValue ? possible.filter { known[$0] == nil && $0.count >= length } : []
        let wanted = known.filter { $0.value >= certainty && $0.key.count >= length }.keys
        let forms = Set(wanted.flatMap(Self.forms)).sorted { ($0.count, $0) > ($1.count, $1) }
        let all = whole.isEmpty ? forms : forms + Set(whole.flatMap(Self.forms)).subtracting(forms).sorted()
        // Forms with characters outside of ASCII are compared by `Character`. Equal ones can have different scalars.
        let text = all.reduce(text) { text, form in
            form.utf8.allSatisfy { $0 < 0x80 } ? text : text.replacing(form, with: Redaction.mark)
        }
        var cuts: [Range<Int>] = []
        for layer in UnescapedText.layers(of: text) {
            let folded = layer.caseFolded()
            let marks = layer.marks
            for (index, form) in all.enumerated() {
                let isLong = form.utf8.count >= Self.telling
                let searched = isLong ? folded : layer
                let bytes = isLong ? UnescapedText.caseFolded(form) : Array(form.utf8)
                cuts += searched.repetitions(of: bytes, shown: bytes.count)
                // The forms of values that are only cut as a whole come last.
                guard index < forms.count else { continue }
                let shownForm = form.prefix(Self.shownLength(of: form))
                let shown = isLong ? UnescapedText.caseFolded(shownForm).count : shownForm.utf8.count
                cuts += searched.repetitions(of: bytes, shown: shown)
                cuts += searched.beginnings(of: bytes, below: shown, before: marks)
            }
        }
        return Self.text(Array(text.utf8), without: cuts)
    }

    /// Returns a URL or another short value from the server without secrets of eight or more characters.
    func cut(fromAddress text: String) -> String {
        cut(from: text, atLeast: .secret, ofLength: Self.shortestInAddress)
    }

    /// True if the text repeats a credential of eight or more characters that occurs in none of the `plain` texts.
    ///
    /// Only a whole credential counts: each JSON Web Token begins with the Base64 of `{"` (RFC 7515 §7.1).
    func repeatsCredential(_ text: String, besides plain: [String]) -> Bool {
        guard hasTraces, UnescapedText.layers(of: text).contains(where: mayRepeat) else { return false }
        let credentials =
            entries.flatMap(\.found).filter { $0.certainty == .credential }.map(\.value) + values
        return Set(credentials).contains { credential in
            guard credential.count >= Self.shortestInAddress else { return false }
            let secrets = Secrets(possible: [credential])
            return secrets.cut(from: text) != text && plain.allSatisfy { secrets.cut(from: $0) == $0 }
        }
    }

    /// Returns the text of `bytes` with a mark (`…`) in place of each range, or of several that overlap.
    private static func text(_ bytes: [UInt8], without cuts: [Range<Int>]) -> String {
        var shown: [UInt8] = []
        var from = 0
        for cut in cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if cut.lowerBound >= from {
                shown += bytes[from..<cut.lowerBound]
                shown += Redaction.mark.utf8
            }
            from = max(from, cut.upperBound)
        }
        return String(decoding: shown + bytes[from...], as: UTF8.self)
    }

    private var hasTraces: Bool { !tracesOfValues.isEmpty || entries.contains { !$0.traces.isEmpty } }

    private func mayRepeat(_ text: UnescapedText) -> Bool {
        text.caseFolded().bytes.withUnsafeBufferPointer { bytes in
            let isTrace = { (trace: [UInt8]) in ByteSearch.first(trace[...], in: bytes, from: 0) != nil }
            return tracesOfValues.contains(where: isTrace)
                || entries.contains { $0.traces.contains(where: isTrace) }
        }
    }

    /// Returns byte sequences for a quick search: the beginnings, in lower case, of all forms in which a server can
    /// repeat the secret. A text without any of them needs no slow search.
    ///
    /// A form with characters outside of ASCII can be written in several ways. Its sequence is empty, so the slow
    /// search always runs.
    private static func traces(of value: String) -> [[UInt8]] {
        // Each signed request has a new secret, so only the beginnings of the hexadecimal forms are made here.
        let hexadecimal = hexadecimal(of: value.utf8, upTo: shownPrefix)
        return hexadecimal.map { Array($0.prefix(shownPrefix)) }
            + escapedForms(of: value).map { form in
                form.utf8.allSatisfy { $0 < 0x80 }
                    ? UnescapedText.caseFolded(Substring(form.utf8.prefix(shownLength(of: form)))) : []
            }
    }

    /// Returns the number of leading characters by which a form is recognized and cut: 8 for a form of at least 16
    /// characters. For a shorter one, it is more than half of them, and at least 5.
    private static func shownLength(of form: String) -> Int {
        // Counting the characters of a long text takes long. Two bytes of ASCII are at least
        // one character.
        if form.utf8.count >= telling * 2, form.utf8.allSatisfy({ $0 < 0x80 }) { return shownPrefix }
        return form.count >= telling ? shownPrefix : max(5, form.count / 2 + 1)
    }
}

/// The functions that find the secrets in a request.
extension Secrets {
    private static func values(inURL url: String, _ certainty: Certainty) -> [(String, Certainty)] {
        guard !url.isEmpty, UploadAddress.plainAuthority(of: url) == nil,
            let parts = URLComponents(string: url)
        else { return [] }
        let users = [parts.user, parts.percentEncodedUser].compactMap { $0 }
        let passwords = [parts.password, parts.percentEncodedPassword].compactMap { $0 }
        // A URL can have a token as its only user info, without a password.
        var values = users.map { ($0, passwords.isEmpty ? certainty : .userName) }
        values += passwords.map { ($0, certainty) }
        for (name, written) in UploadAddress.queryItems(of: url) {
            let value = written.percentDecoded() ?? written
            if Redaction.tellsSecret(name.percentDecoded() ?? name) {
                values += [(value, certainty), (written, certainty)]
            } else if value.count >= telling {
                values += [(value, .longValue), (written, .longValue)]
            }
        }
        return values
            + [parts.fragment, parts.percentEncodedFragment].compactMap { $0 }.map { ($0, certainty) }
    }

    /// Returns the secrets in the value of a header field: the values in a cookie (RFC 6265 §4.2.1), the text after the
    /// authentication scheme or its secret values (RFC 9110 §11.4), or the whole value.
    ///
    /// The names of scheme and parameters stay, since servers use them to explain an error.
    private static func values(of field: HTTPField) -> [(String, Certainty)] {
        guard ![.cookie, .setCookie].contains(field.name) else {
            // A part without a name is a value too.
            return field.value.utf8.split(separator: UInt8(ascii: ";")).map { part in
                let value = part.firstIndex(of: UInt8(ascii: "=")).map { part[$0...].dropFirst() } ?? part
                return (unquoted(value), .credential)
            }
        }
        let words = field.value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, Redaction.hasScheme(field) else { return [(field.value, .credential)] }
        let credential = String(words[1])
        if words[0].lowercased() == "digest" { return digestParameters(field.value) }
        if words[0].lowercased() == "basic", let data = Data(base64Encoded: credential) {
            let pair = String(decoding: data, as: UTF8.self).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            let password = pair.count == 2 ? pair[1] : ""
            return [
                (credential, .credential), (pair[0], password.isEmpty ? .credential : .userName),
                (password, .credential),
            ]
        }
        guard credential.utf8.contains(UInt8(ascii: ",")) else { return [(credential, .credential)] }
        return credential.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
                Redaction.tellsSecret(Substring(part[..<equals]).trimmed())
            else { return nil }
            return (unquoted(part[equals...].dropFirst()), .credential)
        }
    }

    /// Returns the secrets in Digest credentials. The realm, `qop` and path are none (RFC 7616 §3.4).
    private static func digestParameters(_ value: String) -> [(String, Certainty)] {
        let parameters = AuthenticationChallenge.list(value).first?.parameters ?? [:]
        let secrets = ["response", "cnonce"].compactMap { parameters[$0] }
        return secrets.map { ($0, .credential) }
            + [parameters["username"]].compactMap { $0 }.map { ($0, .userName) }
    }

    private static func unquoted(_ value: Substring.UTF8View) -> String {
        Substring(value).trimmed { $0 == " " || $0 == "\"" }
    }
}

/// Descriptions that hide the secrets, for example when a `RequestContext` is printed.
extension Secrets: CustomStringConvertible, CustomReflectable {
    var description: String { Redaction.mark }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
