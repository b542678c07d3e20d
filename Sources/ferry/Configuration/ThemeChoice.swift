import FerryFiles
import FerryProtocols
import FerryTUI

/// The screen's theme: one of Ferry's, or one in a file of a person's own.
enum ThemeChoice: Equatable {
    case builtIn(Theme)
    case file(String)

    static let names = Theme.builtIn.map(\.key).joined(separator: ", ")

    /// - Parameter text: A name, or a path, which has a `/`, as `--theme` takes it.
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

    /// - Parameter fields: `appearance`, with `theme` or `themeFile`; nil if it has neither.
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

    /// Files are read when a screen opens, so that a queue without one needs none.
    /// - Throws: Wrong usage, with the file, the key and what is expected there.
    func load() throws(CommandFailure) -> Theme {
        switch self {
        case .builtIn(let theme): return theme
        case .file(let path):
            do throws(UploadFailure) { return try ThemeFile.load(path) } catch {
                throw CommandFailure(usage: error)
            }
        }
    }
}
