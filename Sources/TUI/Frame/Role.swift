/// What a cell means. The palette decides what that looks like.
enum Role: UInt8, CaseIterable, Sendable {
    case normal, dim, title, header, key, escape
    case running, done, failed, paused, waiting, queued
    case bar, barRest, graph, banner, warning, dialog, selection, field
}
