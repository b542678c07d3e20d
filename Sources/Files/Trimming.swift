extension StringProtocol {
    /// Returns the text without the scalars at both ends for which `isCut` returns true.
    package func trimmed(of isCut: (Unicode.Scalar) -> Bool) -> String { Substring(self).cut(of: isCut) }

    /// Returns the text without spaces and tabs at both ends.
    package func trimmed() -> String { trimmed { $0.isBlank } }

    /// Returns the text without spaces, tabs and line ends at both ends.
    package func trimmedOfLines() -> String { trimmed { $0.properties.isWhitespace } }
}

extension Substring {
    // Not generic, because a generic function of another module takes many times as long.
    fileprivate func cut(of isCut: (Unicode.Scalar) -> Bool) -> String {
        let rest = unicodeScalars.drop(while: isCut)
        guard let last = rest.lastIndex(where: { !isCut($0) }) else { return "" }
        return String(Substring(rest[...last]))
    }
}

extension Unicode.Scalar {
    /// True for a tab and for each Unicode space (the category `Zs`).
    fileprivate var isBlank: Bool {
        value < 0x80 ? self == " " || self == "\t" : properties.generalCategory == .spaceSeparator
    }
}
