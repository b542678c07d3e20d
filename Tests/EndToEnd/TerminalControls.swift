extension String {
    /// The control characters that move the cursor or change the display, without line ends.
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
