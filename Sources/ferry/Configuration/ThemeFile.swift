import FerryFiles
import FerryProtocols
import FerryTUI

/// A theme file: the name of a built-in theme, and the colours and attributes that replace those of the built-in theme.
/// An unknown key is an error.
struct ThemeFile: Decodable {
    let theme: Theme

    /// - Throws: `UploadFailure` (`permanent`) if the file cannot be read, is larger than 1 MiB or is invalid.
    static func load(_ path: String) throws(UploadFailure) -> Theme {
        guard let data = LocalFiles.content(of: path), data.count <= LocalFiles.sizeLimit else {
            throw UploadFailure(
                .permanent, "the theme \(path) cannot be read, or has more than 1 MiB",
                hint: "put it there, or choose one of \(ThemeChoice.names)")
        }
        let file: ThemeFile = try ConfigurationFile.decode(
            data, file: path, example: "`ferry help appearance` shows one")
        return file.theme
    }

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, known: ["base", "background", "cursorLine", "roles"])
        let base: String = try fields.value("base") ?? "default"
        guard case .builtIn(var theme)? = ThemeChoice(base) else {
            throw fields.error("base", Fields.expectation(of: Theme.builtIn.map(\.key), brokenBy: base))
        }
        try fields.value("background", as: ColourFields.self)?.change(&theme.background)
        try fields.value("cursorLine", as: ColourFields.self)?.change(&theme.cursorLine)
        for (role, look) in try fields.value("roles", as: RoleFields.self)?.looks ?? [:] {
            look.change(&theme[role])
        }
        self.theme = theme
    }
}

private struct RoleFields: Decodable {
    var looks: [Role: LookFields] = [:]

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, known: Role.allCases.map(\.name))
        for role in Role.allCases { looks[role] = try fields.value(role.name) }
    }
}

private struct LookFields: Decodable {
    private static let attributes: KeyValuePairs<String, TextAttributes> = [
        "bold": .bold, "dim": .dim, "reverse": .reverse, "underline": .underline,
    ]

    private let colour: ColourFields
    private var added: TextAttributes = []
    private var removed: TextAttributes = []

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, known: ColourFields.keys + Self.attributes.map(\.key))
        colour = try ColourFields(fields)
        for (name, attribute) in Self.attributes {
            guard let isWanted: Bool = try fields.value(name) else { continue }
            if isWanted { added.insert(attribute) } else { removed.insert(attribute) }
        }
    }

    func change(_ look: inout Theme.Look) {
        colour.change(&look.colour)
        look.added = look.added.subtracting(removed).union(added)
        look.removed = look.removed.subtracting(added).union(removed)
    }
}

/// A colour in a theme file, in up to three forms: `"basic": 4, "full": 75, "rgb": "#5fafff"`. `basic` is a number
/// among 16 colours, and `full` is a number among 256 colours. The value null means the terminal's default colour. If
/// only one of `full` and `rgb` is present, the other form is computed from it.
private struct ColourFields: Decodable {
    static let keys = ["basic", "full", "rgb"]

    private enum Member<Value> {
        case absent
        case given(Value?)

        init(_ key: String, of fields: Fields, read: () throws -> Value?) throws {
            if try fields.isNull(key) {
                self = .given(nil)
            } else {
                self = try read().map(Self.given) ?? .absent
            }
        }
    }

    private let basic: Member<Int>
    private let full: Member<Int>
    private let exact: Member<RGB>

    init(from decoder: any Decoder) throws {
        try self.init(try Fields(decoder, known: Self.keys))
    }

    init(_ fields: Fields) throws {
        basic = try Member("basic", of: fields) { try fields.number("basic", in: 0...15) }
        full = try Member("full", of: fields) { try fields.number("full", in: 0...255) }
        exact = try Member("rgb", of: fields) {
            guard let text: String = try fields.value("rgb") else { return nil }
            guard let colour = RGB(text) else {
                throw fields.error("rgb", "a colour such as \"#5fafff\", or null")
            }
            return colour
        }
    }

    func change(_ colour: inout Theme.Colour) {
        if case .given(let number) = basic { colour.basic = number }
        switch (full, exact) {
        case (.absent, .absent): break
        case (.given(let number), .absent): colour.set(full: number)
        case (.absent, .given(let exact)): colour.set(exact: exact)
        case (.given(let number), .given(let exact)): (colour.full, colour.exact) = (number, exact)
        }
    }
}
