import FerryFiles
import FerryProtocols
import FerryTUI

/// A theme file: the name of a built-in theme, and the colours and attributes that replace its own.
struct ThemeFile: Decodable {
    let theme: Theme

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

/// A colour in a theme file, in up to three forms: `"basic": 4, "full": 75, "rgb": "#5fafff"`, the numbers among 16 and
/// 256 colours. The value null (here `.some(nil)`) means the terminal's default colour. If only one of `full` and `rgb`
/// is present, the other form is computed from it.
private struct ColourFields: Decodable {
    static let keys = ["basic", "full", "rgb"]

    private let basic: Int??
    private let full: Int??
    private let exact: RGB??

    init(from decoder: any Decoder) throws {
        try self.init(try Fields(decoder, known: Self.keys))
    }

    init(_ fields: Fields) throws {
        func member<Value>(_ key: String, _ read: () throws -> Value?) throws -> Value?? {
            try fields.isNull(key) ? .some(nil) : try read().map(Optional.some)
        }
        basic = try member("basic") { try fields.number("basic", in: 0...15) }
        full = try member("full") { try fields.number("full", in: 0...255) }
        exact = try member("rgb") {
            try fields.text("rgb", "a colour such as \"#5fafff\", or null", RGB.init)
        }
    }

    func change(_ colour: inout Theme.Colour) {
        if let basic { colour.basic = basic }
        switch (full, exact) {
        case (nil, nil): break
        case (let number?, nil): colour.set(full: number)
        case (nil, let exact?): colour.set(exact: exact)
        case (let number?, let exact?): (colour.full, colour.exact) = (number, exact)
        }
    }
}
