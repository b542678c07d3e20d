/// A line of JSON for programs: the output of `--json` and the input of hooks. Every kind has a schema.
protocol OutputLine: Encodable {
    static var schema: LineSchema { get }
}

/// The members of a kind of line.
struct LineSchema: Sendable {
    /// A value of `event`, and the purpose of such a line.
    struct Event: Sendable {
        var name: String
        var purpose: String

        init(_ name: String, _ purpose: String) {
            self.name = name
            self.purpose = purpose
        }
    }

    var events: [Event]
    /// The members besides `event`.
    var always: [Schema.Member]
    /// The members that may be absent.
    var sometimes: [Schema.Member]

    init(_ events: [Event], always: [Schema.Member] = [], maybe sometimes: [Schema.Member] = []) {
        self.events = events
        self.always = always
        self.sometimes = sometimes
    }

    /// The name of its first event.
    var name: String { events.first?.name ?? "" }

    var schema: Schema {
        let purpose = events.map { "\($0.name): \($0.purpose)" }.joined(separator: " ")
        return .record(
            [.init("event", .choice(events.map(\.name)), purpose)] + always, maybe: sometimes)
    }
}
