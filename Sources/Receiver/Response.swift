import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The response to a request.
struct Response {
    var status: HTTPResponse.Status
    var fields: HTTPFields
    var body = ByteBuffer()

    init(_ status: HTTPResponse.Status, fields: HTTPFields = [:]) {
        self.status = status
        self.fields = fields
    }

    /// A refusal with a sentence for the person at the other end.
    init(_ status: HTTPResponse.Status, saying text: String, fields: HTTPFields = [:]) {
        self.init(status, fields: fields)
        self.fields[.contentType] = "text/plain; charset=utf-8"
        body.writeString(text + "\n")
    }
}

/// A request that is turned down: the answer, and the reason for the log.
struct Refusal: Error {
    var answer: Response
    var reason: String

    init(_ status: HTTPResponse.Status, _ reason: String, fields: HTTPFields = [:]) {
        answer = Response(status, saying: reason, fields: fields)
        self.reason = reason
    }

    init(_ problem: NameProblem) { self.init(.badRequest, "Cannot store this: \(problem).") }
}

extension HTTPResponse.Status {
    /// RFC 4918 §11.5.
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension HTTPField.Name {
    static let uploadConcat = named("Upload-Concat")
}

extension HTTPFields {
    /// A field that must be a non-negative decimal integer. Digits only, and no trap on a number of any length.
    func count(_ name: HTTPField.Name) throws(Refusal) -> Int? {
        guard let text = self[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(text)
        else {
            throw Refusal(.badRequest, "\(name.canonicalName) is not a number of bytes.")
        }
        return count
    }
}

extension Date {
    /// IMF-fixdate of RFC 9110 §5.6.7, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    var httpDate: String {
        var seconds = time_t(timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let padded = [parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec].map { number in
            number < 10 ? "0\(number)" : "\(number)"
        }
        let day = days[Int(parts.tm_wday)]
        let date = "\(padded[0]) \(months[Int(parts.tm_mon)]) \(1900 + Int(parts.tm_year))"
        return "\(day), \(date) \(padded[1]):\(padded[2]):\(padded[3]) GMT"
    }
}
