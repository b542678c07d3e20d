/// The meaning of a cell. The palette decides its look.
public enum Role: UInt8, CaseIterable, Sendable {
    case normal, dim, title, header, key, escape
    case running, done, failed, paused, waiting, queued
    case bar, barRest, graph, banner, warning, dialog, selection, field

    /// The name in theme files.
    public var name: String { "\(self)" }
}
