import FerryFiles
import FerryProtocols
import FerryTUI

/// The theme of the screen: a built-in theme, or a theme file.
enum ThemeChoice: Equatable {
    case builtIn(Theme)
    case file(String)

    static let names = Theme.builtIn.map(\.key).joined(separator: ", ")

    /// Parses the value of `--theme`: the path of a theme file if it has a `/`, otherwise the name of a built-in theme.
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

    /// Reads the theme from the members of `appearance`; nil if `theme` and `themeFile` are both absent.
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

    /// Returns the theme. Only this function reads the theme file, so an engine without a screen does not need it.
    func load() throws(UploadFailure) -> Theme {
        switch self {
        case .builtIn(let theme): theme
        case .file(let path): try ThemeFile.load(path)
        }
    }
}
