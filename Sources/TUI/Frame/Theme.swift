/// The colours of the screen: the `Look` of each `Role` of text, and the backgrounds.
package struct Theme: Hashable, Sendable {
    /// A colour for each kind of terminal; nil is the terminal's default.
    package struct Colour: Hashable, Sendable {
        /// The colour's number in terminals of 8 or 16 colours. The terminal decides how this colour looks.
        package var basic: Int?
        /// The number among xterm's 256 colours.
        package var full: Int?
        /// The colour in terminals with 24-bit colours.
        package var exact: RGB?

        init(_ basic: Int? = nil, _ full: Int? = nil) {
            self.basic = basic
            self.set(full: full)
        }

        /// Sets one of xterm's 256 colours, 0 to 255, also for terminals with 24-bit colours. `basic` does not change.
        package mutating func set(full number: Int?) {
            full = number
            exact = number.map(RGB.init(palette:))
        }

        /// Sets a 24-bit colour, and the most similar of xterm's 256. `basic` does not change.
        package mutating func set(exact colour: RGB?) {
            exact = colour
            full = colour?.nearestInPalette
        }
    }

    /// The colour of a role, and the attributes that the theme adds to the role or removes from it.
    package struct Look: Hashable, Sendable {
        package var colour = Colour()
        /// The attributes that the theme adds to those of the role.
        package var added: TextAttributes = []
        /// The attributes that the theme removes from those of the role.
        package var removed: TextAttributes = []
    }

    /// The background of every cell.
    package var background = Colour()
    /// The background of the cursor's line. Without one, that line is in reverse video.
    package var cursorLine = Colour()
    private var looks: [Role: Look] = [:]

    init(background: Colour = Colour(), cursorLine: Colour = Colour(), _ look: (Role) -> Look) {
        self.background = background
        self.cursorLine = cursorLine
        for role in Role.allCases { self[role] = look(role) }
    }

    /// The look of a role.
    package subscript(role: Role) -> Look {
        get { looks[role] ?? Look() }
        set { looks[role] = newValue }
    }

    var hasColours: Bool {
        (looks.values.map(\.colour) + [background, cursorLine]).contains { $0 != Colour() }
    }
}
