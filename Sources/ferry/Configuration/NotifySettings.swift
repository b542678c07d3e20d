import FerryTUI

/// `notify`: how a person who looks elsewhere is called, and what for.
struct NotifySettings: Decodable, Equatable {
    var call = TerminalCall()
    /// Whether the engine tells the desktop that it runs on.
    var desktop = false

    /// The program that tells the desktop something.
    static func desktopCommand(_ text: String) -> HookCommand {
        // The text is markup to some desktops.
        let plain = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
            ">", with: "&gt;")
        return HookCommand(words: ["notify-send", "--app-name=Ferry", "--", "Ferry", plain])
    }

    /// Nil if the desktop can be told something.
    static var desktopFlaw: String? {
        guard desktopCommand("").isThere else { return "notify-send not found" }
        let variables = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"]
        return ChildCommand.environment(variables).isEmpty ? "no desktop" : nil
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, known: ["desktop", "terminal", "on"])
        desktop = try fields.value("desktop") ?? desktop
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
