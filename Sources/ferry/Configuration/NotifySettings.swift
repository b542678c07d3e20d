import TUI

/// `notify`: how a person who looks elsewhere is called, and what for.
struct NotifySettings: Decodable, Equatable {
    var call = TerminalCall()

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, known: ["terminal", "on"])
        call.way = try fields.choice("terminal") ?? call.way
        guard let names: [String] = try fields.value("on") else { return }
        let events = names.compactMap(QueueEvent.Name.init)
        guard !names.isEmpty, events.count == names.count else {
            let known = QueueEvent.Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.error("on", "a list of some of \(known)")
        }
        call.events = Set(events)
    }
}
