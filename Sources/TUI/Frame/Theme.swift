/// Which colours the roles have, and what else sets them apart.
public struct Theme: Hashable, Sendable {
    /// One colour for each kind of terminal; nil is the terminal's own.
    public struct Colour: Hashable, Sendable {
        /// A number in terminals of 8 or 16 colours, whose look is the terminal's choice.
        public var basic: Int?
        /// A number of xterm's 256 colours.
        public var full: Int?
        /// In terminals of 24 bits.
        public var exact: RGB?

        /// Exactly what the number of 256 stands for.
        init(_ basic: Int? = nil, _ full: Int? = nil) {
            self.basic = basic
            self.set(full: full)
        }

        /// One of xterm's 256, also where colours are exact.
        public mutating func set(full number: Int?) {
            full = number
            exact = number.map(RGB.init(palette:))
        }

        /// An exact colour, and the nearest where there are 256.
        public mutating func set(exact colour: RGB?) {
            exact = colour
            full = colour?.nearestInPalette
        }
    }

    /// How a role differs from plain text.
    public struct Look: Hashable, Sendable {
        public var colour = Colour()
        /// Besides those that the role has anyway.
        public var added: TextAttributes = []
        /// Of those that the role has anyway.
        public var removed: TextAttributes = []
    }

    /// Behind everything.
    public var background = Colour()
    /// Behind the cursor's line, which is in reverse video where there is none.
    public var cursorLine = Colour()
    private var looks: [Role: Look] = [:]

    init(background: Colour = Colour(), cursorLine: Colour = Colour(), _ look: (Role) -> Look) {
        self.background = background
        self.cursorLine = cursorLine
        for role in Role.allCases { self[role] = look(role) }
    }

    /// How a role looks.
    public subscript(role: Role) -> Look {
        get { looks[role] ?? Look() }
        set { looks[role] = newValue }
    }

    /// False if all of it is left to the terminal.
    var hasColours: Bool {
        (looks.values.map(\.colour) + [background, cursorLine]).contains { $0 != Colour() }
    }
}
