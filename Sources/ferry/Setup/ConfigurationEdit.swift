import FerryProtocols
import FerryTransfer

/// An edit that adds one destination to a configuration.
struct ConfigurationEdit {
    let file: PrivateFile
    /// The content of the file before the edit; nil if there was no file.
    let before: [UInt8]?
    let configuration: Configuration

    /// Reads the configuration file. A missing file counts as an empty configuration.
    init(_ file: PrivateFile) throws {
        self.file = file
        before = try file.content()
        configuration =
            try before.map { try ConfigurationFile.parse(Data($0), file: file.path) } ?? Configuration()
    }

    /// Returns the text with the new destination, and with a missing `defaultDestination` if it is the second one.
    ///
    /// - Parameters:
    ///   - secretFile: The path of the file for the typed secret; nil to write the secret into the text.
    ///   - isDefault: True to make the new destination the default; false for the existing one.
    func text(adding draft: DestinationDraft, secretFile: String?, isDefault: Bool) throws -> [UInt8] {
        var text = JSONInsertion(before ?? Array("{\n}\n".utf8))
        if configuration.destinations.isEmpty, !text.hasObject(["destinations"]) {
            text.add("destinations", "{\n}", to: [])
        }
        text.add(draft.name, draft.json(secretFile: secretFile), to: ["destinations"])
        let byItself = configuration.destinations.count == 1 ? configuration.destinations.keys.first : nil
        if configuration.defaultDestination == nil, let byItself {
            text.add("defaultDestination", JSONLine.quoted(isDefault ? draft.name : byItself), to: [])
        }
        let after = try ConfigurationFile.parse(Data(text.text), file: file.path)
        var expected = configuration
        expected.destinations[draft.name] = after.destinations[draft.name]
        expected.defaultDestination = after.defaultDestination
        guard after == expected, after.destinations[draft.name] != nil else {
            throw CommandFailure(
                usage: "\(file.path) has a form that cannot be edited",
                hint:
                    "add this to its destinations yourself: \"\(draft.name)\": \(draft.json(secretFile: secretFile))"
            )
        }
        return text.text
    }

    /// - Throws: `CommandFailure` if the file has changed since it was read, or cannot be read or written.
    func write(_ text: [UInt8]) throws(CommandFailure) {
        guard try file.content() == before else {
            throw CommandFailure(
                usage: "\(file.path) was changed in the meantime", hint: "run `ferry init` again")
        }
        try file.write(text)
    }
}
