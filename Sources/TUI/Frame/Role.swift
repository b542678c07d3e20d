/// The purpose of the text in a cell of the screen. The palette gives each role its colour and attributes.
package enum Role: UInt8, CaseIterable, Sendable {
    case normal, dim, title, header, key, escape
    case running, done, failed, paused, waiting, queued
    case bar, barRest, graph, banner, warning, dialog, selection, field

    /// The name of the role in theme files.
    package var name: String { "\(self)" }
}
