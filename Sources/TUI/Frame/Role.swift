/// What a cell means. The palette decides what that looks like.
public enum Role: UInt8, CaseIterable, Sendable {
    case normal, dim, title, header, key, escape
    case running, done, failed, paused, waiting, queued
    case bar, barRest, graph, banner, warning, dialog, selection, field

    /// As theme files know it.
    public var name: String { "\(self)" }
}
