import FerryFiles
import FerryProtocols
import FerryTUI

/// The screen's theme: a built-in one, or one in a file of the user.
enum ThemeChoice: Equatable {
    case builtIn(Theme)
    case file(String)

    static let names = Theme.builtIn.map(\.key).joined(separator: ", ")

    /// - Parameter text: A name, or a path with a `/`, as for `--theme`.
    init?(_ text: String) {
        if text.contains("/") {
            self = .file(LocalFiles.expanded(text))
        } else {
            self.init(named: text)
        }
    }

    private init?(named name: String) {
        guard let theme = Theme.builtIn.first(where: { $0.key == name }) else { return nil }
        self = .builtIn(theme.value)
    }

    /// - Parameter fields: The member `appearance`, with `theme` or `themeFile`; nil if it has neither.
    init?(_ fields: Fields) throws {
        let name: String? = try fields.value("theme")
        let file: String? = try fields.value("themeFile")
        switch (name, file) {
        case (nil, nil): return nil
        case (nil, let file?): self = .file(LocalFiles.expanded(file))
        case (let name?, nil):
            guard let choice = Self(named: name) else {
                throw fields.error("theme", "one of \(Self.names)")
            }
            self = choice
        case (_?, _?):
            throw fields.error(
                "themeFile", "theme or themeFile, not both; the file's base may be \(Self.names)")
        }
    }

    /// Returns the theme. Files are read when a screen opens, so that a queue without a screen needs none.
    /// - Throws: `UploadFailure` (`permanent`) with the file, the key and the expected value.
    func load() throws(UploadFailure) -> Theme {
        switch self {
        case .builtIn(let theme): theme
        case .file(let path): try ThemeFile.load(path)
        }
    }
}
