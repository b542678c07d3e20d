extension String {
    /// Scalars that would move a cursor or change what is shown; line ends are not among them.
    var controls: [Unicode.Scalar] {
        unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }
}
