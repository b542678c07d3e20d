import FerryTUI
import FerryUploads

/// The settings of notifications (the member `notify`).
struct NotifySettings: Decodable, Equatable {
    /// The control sequence that the screen sends to the terminal, such as a bell.
    var terminal = TerminalNotification.Signal.none
    var desktop = false
    var events: Set<QueueEvent.Name> = [.idle, .failed, .held]

    var notification: TerminalNotification { TerminalNotification(terminal, for: events) }

    /// The maximum number of characters of a notification.
    private static let longest = 200

    /// Returns the command that shows a notification on the desktop. The text can contain control characters.
    static func desktopCommand(_ text: String) -> HookCommand {
        // Some desktops interpret the text as markup.
        let plain = String(SafeLine.text(text).prefix(longest)).replacing("&", with: "&amp;")
            .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return HookCommand(words: ["notify-send", "--app-name=Ferry", "--", "Ferry", plain])
    }

    /// The reason why the engine cannot show desktop notifications; nil if it can.
    static var desktopIssue: String? {
        guard desktopCommand("").isThere else { return "notify-send not found" }
        let variables = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"]
        return ChildCommand.environment(variables).isEmpty ? "no desktop" : nil
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.notify)
        desktop = try fields.value("desktop") ?? desktop
        terminal = try fields.choice("terminal") ?? terminal
        guard let names: [String] = try fields.value("on") else { return }
        let chosen = names.compactMap(QueueEvent.Name.init)
        guard !names.isEmpty, chosen.count == names.count else {
            let known = QueueEvent.Name.allCases.map(\.rawValue)
            let meant =
                names.first { !known.contains($0) }.map { Suggestions.remark(on: $0, among: known) } ?? ""
            throw fields.error("on", "a list of some of \(known.joined(separator: ", "))\(meant)")
        }
        events = Set(chosen)
    }
}
