import FerryFiles
import FerryProtocols
import FerryTUI

/// The theme of the screen: a built-in theme, or a theme file.
enum ThemeChoice: Equatable {
    case builtIn(Theme)
    case file(String)

    static let names = Theme.builtIn.map(\.key).joined(separator: ", ")

    /// - Parameter text: The value of `--theme`: a built-in theme's name, or a path, which contains a `/`.
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

    /// Reads the theme from the member `appearance`; nil if that has neither `theme` nor `themeFile`.
    init?(_ fields: Fields) throws {
        let name: String? = try fields.value("theme")
        let file: String? = try fields.value("themeFile")
        switch (name, file) {
        case (nil, nil): return nil
        case (nil, let file?): self = .file(LocalFiles.configured(file))
        case (let name?, nil):
            guard let choice = Self(named: name) else {
                throw fields.error(
                    "theme", Fields.expectation(of: Theme.builtIn.map(\.key), brokenBy: name))
            }
            self = choice
        case (_?, _?):
            throw fields.error(
                "themeFile", "theme or themeFile, not both; the file's base may be \(Self.names)")
        }
    }

    /// Returns the theme. No other function reads the file, so an engine without a screen does not need the file.
    /// - Throws: `UploadFailure` (`permanent`) if the theme file cannot be read or is invalid.
    func load() throws(UploadFailure) -> Theme {
        switch self {
        case .builtIn(let theme): theme
        case .file(let path): try ThemeFile.load(path)
        }
    }
}
