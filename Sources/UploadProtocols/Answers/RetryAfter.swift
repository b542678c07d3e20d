package import FerryFiles
package import HTTPTypes

/// The wait that a server asks for (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// No server's wish counts for more than this many seconds; a longer one is shown and waited for in steps.
    package static let longest = 86_400.0

    /// Seconds to wait, 0...`longest`; nil if the field is absent or not understood.
    ///
    /// A date is measured against the server's own `Date` where it sent one, so that a wrong clock here costs nothing.
    package static func seconds(in fields: HTTPFields, now: Date) -> Double? {
        guard let value = fields[.retryAfter] else { return nil }
        return seconds(value, serverDate: fields[.date].flatMap { HTTPDate.parse($0, now: now) }, now: now)
    }

    static func seconds(_ value: String, serverDate: Date?, now: Date) -> Double? {
        let text = value.trimmingSpaces
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(longest, Double(text) ?? longest)
        }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return min(longest, max(0, date.timeIntervalSince(serverDate ?? now)))
    }
}

extension String {
    /// The text without white space at both ends.
    var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) })
        else {
            return ""
        }
        return String(self[first...last])
    }
}
