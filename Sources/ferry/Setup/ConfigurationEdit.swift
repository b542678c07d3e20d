import FerryProtocols
import FerryTransfer
import Foundation

/// A destination more in a configuration.
struct ConfigurationEdit {
    let file: PrivateFile
    /// As it was read; nil if there is none.
    let before: [UInt8]?
    let configuration: Configuration

    /// - Throws: `CommandFailure` if there is one that is wrong: what a person must mend is not written over.
    init(_ file: PrivateFile) throws(CommandFailure) {
        self.file = file
        before = try file.content()
        do throws(UploadFailure) {
            configuration =
                try before.map { bytes throws(UploadFailure) in
                    try ConfigurationFile.parse(Data(bytes), file: file.path)
                } ?? Configuration()
        } catch {
            throw CommandFailure(usage: error)
        }
    }

    /// The text with the destination in it. Where one destination was the default by being the only one, it stays that.
    ///
    /// - Throws: `CommandFailure` if the text is such that the destination cannot be put into it.
    func text(adding draft: DestinationDraft, secretFile: String?, isDefault: Bool) throws(CommandFailure)
        -> [UInt8]
    {
        var text = JSONInsertion(before ?? Array("{\n}\n".utf8))
        if configuration.destinations.isEmpty, !text.hasObject(["destinations"]) {
            text.add("destinations", "{\n}", to: [])
        }
        text.add(draft.name, draft.json(secretFile: secretFile), to: ["destinations"])
        let byItself = configuration.destinations.count == 1 ? configuration.destinations.keys.first : nil
        if configuration.defaultDestination == nil, let byItself {
            text.add("defaultDestination", JSONLine.quoted(isDefault ? draft.name : byItself), to: [])
        }
        let after: Configuration
        do throws(UploadFailure) {
            after = try ConfigurationFile.parse(Data(text.text), file: file.path)
        } catch {
            throw CommandFailure(usage: error)
        }
        var expected = configuration
        expected.destinations[draft.name] = after.destinations[draft.name]
        expected.defaultDestination = after.defaultDestination
        guard after == expected, after.destinations[draft.name] != nil else {
            throw CommandFailure(
                status: CommandFailure.usage, summary: "\(file.path) is such that nothing can be put into it",
                hint:
                    "put this into its destinations yourself: \"\(draft.name)\": \(draft.json(secretFile: secretFile))"
            )
        }
        return text.text
    }

    /// - Throws: `CommandFailure` if somebody else changed the file meanwhile, or it cannot be written.
    func write(_ text: [UInt8]) throws(CommandFailure) {
        guard try file.content() == before else {
            throw CommandFailure(
                status: CommandFailure.usage, summary: "\(file.path) was changed meanwhile",
                hint: "run `ferry init` again")
        }
        try file.write(text)
    }
}
