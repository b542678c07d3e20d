/// The check whether Azure accepts a parameter of the upload as metadata of a blob. The name must consist of ASCII
/// letters, digits and underscores, and must not begin with a digit. The value must be printable ASCII.
enum AzureMetadata {
    static func takes(_ parameter: UploadItem.Parameter) -> Bool {
        let name = parameter.name.utf8
        guard let first = name.first, !isDigit(first) else { return false }
        return name.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
            && parameter.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
