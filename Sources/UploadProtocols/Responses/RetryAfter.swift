package import FerryFiles
package import HTTPTypes

/// The wait that a server requests with `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The longest wait in seconds, a day, to which a longer one is shortened.
    package static let longest = 86_400.0

    /// Returns the seconds to wait, at most `longest`; nil if the field is absent or malformed. A date is compared with
    /// the server's own `Date`, if it sent one, so that a wrong local clock does not matter.
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
    /// The text without spaces and tabs at both ends.
    var trimmingSpaces: String { trimmed { $0 == " " || $0 == "\t" } }
}
