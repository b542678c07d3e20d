extension StringProtocol {
    /// Returns the text without the scalars at both ends for which `isCut` returns true.
    package func trimmed(of isCut: (Unicode.Scalar) -> Bool) -> String {
        let rest = unicodeScalars.drop(while: isCut)
        guard let last = rest.lastIndex(where: { !isCut($0) }) else { return "" }
        return String(String.UnicodeScalarView(rest[...last]))
    }

    /// Returns the text without spaces and tabs at both ends.
    package func trimmed() -> String { trimmed(of: \.isBlank) }

    /// Returns the text without spaces, tabs and line ends at both ends.
    package func trimmedOfLines() -> String { trimmed(of: \.properties.isWhitespace) }
}

extension Unicode.Scalar {
    /// True for a tab and for each Unicode space (the category `Zs`).
    fileprivate var isBlank: Bool { self == "\t" || properties.generalCategory == .spaceSeparator }
}
