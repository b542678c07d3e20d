import FerryTUI
import FerryUploads

/// The events of which a user is notified, and the ways (`notify`).
struct NotifySettings: Decodable, Equatable {
    /// The terminal's kind of notification.
    var terminal = TerminalNotification.Signal.none
    /// Whether the engine notifies the desktop that it runs on.
    var desktop = false
    /// The events that cause a notification.
    var events: Set<QueueEvent.Name> = [.idle, .failed, .held]

    /// The maximum number of characters of a notification.
    private static let longest = 200

    /// The notification of the screen's terminal.
    var notification: TerminalNotification { TerminalNotification(terminal, for: events) }

    /// Returns the program that shows a notification on the desktop.
    ///
    /// - Parameter text: The text, which may contain file names with control characters.
    static func desktopCommand(_ text: String) -> HookCommand {
        // The text is markup to some desktops.
        let safe = String(SafeLine.text(text).prefix(longest))
        let plain = safe.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
            ">", with: "&gt;")
        return HookCommand(words: ["notify-send", "--app-name=Ferry", "--", "Ferry", plain])
    }

    /// The reason why the desktop cannot be notified; nil if it can.
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
            let known = QueueEvent.Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.error("on", "a list of some of \(known)")
        }
        events = Set(chosen)
    }
}
