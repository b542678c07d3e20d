extension SafeText {
    /// Returns the text in at most `columns` cells; the ellipsis replaces the middle (`holiday-2024…final.mov`).
    func fitted(to columns: Int, ellipsis: String) -> SafeText {
        guard width > columns else { return self }
        let mark = Unit(text: ellipsis, width: 1)
        guard columns > 1 else { return SafeText(units: columns == 1 ? [mark] : []) }
        let tailWidth = min((columns - 1) / 3, 12)
        let tail = Array(Self.prefix(of: units.reversed(), columns: tailWidth).reversed())
        let used = tail.reduce(0) { $0 + $1.width }
        let head = Self.prefix(of: units, columns: columns - 1 - used)
        return SafeText(units: head + [mark] + tail)
    }

    /// Returns the text in at most `columns` cells; the ellipsis replaces the end.
    func truncated(to columns: Int, ellipsis: String) -> SafeText {
        guard width > columns else { return self }
        guard columns > 0 else { return SafeText() }
        return SafeText(
            units: Self.prefix(of: units, columns: columns - 1) + [Unit(text: ellipsis, width: 1)])
    }

    /// Returns the text in at most `columns` cells; the ellipsis replaces the beginning.
    func truncatedAtStart(to columns: Int, ellipsis: String) -> SafeText {
        guard width > columns else { return self }
        guard columns > 0 else { return SafeText() }
        let tail = Self.prefix(of: units.reversed(), columns: columns - 1)
        return SafeText(units: [Unit(text: ellipsis, width: 1)] + tail.reversed())
    }

    /// Breaks the text at blanks where possible, into at most `limit` lines; an ellipsis ends a longer text.
    func wrapped(to columns: Int, lines limit: Int, ellipsis: String) -> [SafeText] {
        guard columns > 0 else { return [SafeText()] }
        var lines: [SafeText] = []
        var rest = units[...]
        while !rest.isEmpty, lines.count < max(1, limit) - 1 {
            let fitting = Self.prefix(of: rest, columns: columns).count
            guard fitting < rest.count, fitting > 0 else { break }
            let head = rest.prefix(fitting + 1)
            let end = head.lastIndex { $0.text == " " } ?? rest.startIndex + fitting
            lines.append(SafeText(units: Array(rest[..<end])))
            rest = rest[end...].drop { $0.text == " " }
        }
        return lines + [SafeText(units: Array(rest)).truncated(to: columns, ellipsis: ellipsis)]
    }

    private static func prefix(of units: some Sequence<Unit>, columns: Int) -> [Unit] {
        var taken: [Unit] = []
        var used = 0
        for unit in units {
            guard used + unit.width <= columns else { break }
            used += unit.width
            taken.append(unit)
        }
        return taken
    }
}
