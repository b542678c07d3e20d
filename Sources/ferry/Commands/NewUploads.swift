import FerryProtocols
import FerryUploads

/// Makes new uploads to one destination from the files that a search found.
enum NewUploads {
    /// Returns one upload for each file of the selection.
    ///
    /// - Parameters:
    ///   - name: The name on the server, for a selection of one file.
    ///   - existing: The policy for files on the server; nil for that of the destination.
    /// - Throws: `UploadFailure` (`permanent`) if several files would replace each other, or if the protocol does not
    ///   support `existing` or an option of the destination.
    static func make(
        _ selection: FileSelection, for destination: Destination, name: String? = nil,
        parameters: [UploadItem.Parameter] = [], existing: ExistingFilePolicy? = nil, batch: String? = nil,
        start: Upload.StartCondition? = nil
    ) throws(UploadFailure) -> [NewUpload] {
        var options = destination.options
        options.existing = existing ?? options.existing
        if let refusal = ProtocolCatalog.entry(named: destination.protocolName)?.refusal(of: options) {
            throw refusal
        }
        if let name { try check(name: name, of: selection.files.count) }
        try check(selection.files.count, for: destination)
        if name == nil, options.existing != .rename, options.existing != .fail {
            try checkNames(of: selection.files, for: destination)
        }
        var target = destination.target(name: name ?? "", fields: parameters, existing: existing)
        return selection.files.map { file in
            if name == nil { target.name = file.relativeName }
            return NewUpload(
                path: file.path, identity: file.identity, target: target, batch: batch, start: start)
        }
    }

    /// Throws `UploadFailure` (`permanent`) if `name` does not name one file below the destination's URL.
    private static func check(name: String, of count: Int) throws(UploadFailure) {
        guard count <= 1 else {
            throw UploadFailure(
                .permanent, "--as names one file and \(count) were given",
                hint: "leave --as out, or name one file")
        }
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(
            Array.init)
        let dot = UInt8(ascii: ".")
        guard parts.last?.isEmpty == false, !parts.contains([dot]), !parts.contains([dot, dot]) else {
            throw UploadFailure(
                .permanent,
                name.isEmpty ? "the name after --as is empty" : "--as \(name) does not name a file there",
                hint: "give a name such as film.mov or day3/film.mov")
        }
    }

    /// Throws `UploadFailure` (`permanent`) if two files have the same name, and the name decides the URL.
    private static func checkNames(
        of files: [FileSelection.File], for destination: Destination
    ) throws(UploadFailure) {
        guard nameDecidesURL(at: destination) == true else { return }
        var paths: [Name: LocalPath] = [:]
        paths.reserveCapacity(files.count)
        for file in files {
            let name = Name(text: file.relativeName)
            guard let first = paths.updateValue(file.path, forKey: name), first != file.path else { continue }
            throw UploadFailure(
                .permanent,
                "\(first.text) and \(file.path.text) would replace each other: both are \(file.relativeName) at the server",
                hint:
                    "`ferry add -` reads a list of relative paths, which keep their folders; --as gives one file a name"
            )
        }
    }

    /// A name on the server, compared by its bytes: `String` considers names equal that differ in their Unicode
    /// normalization, but their URLs differ.
    private struct Name: Hashable {
        let text: String

        static func == (left: Name, right: Name) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    /// True if two files with the same name replace each other; nil while `auto` does not know the protocol.
    private static func nameDecidesURL(at destination: Destination) -> Bool? {
        let protocolName =
            destination.protocolName == AutoUpload.name
            ? ProtocolChoice.named(by: destination.url)?.name : destination.protocolName
        return protocolName.flatMap { ProtocolCatalog.entry(named: $0) }?.traits.fillsSlot
    }

    /// Throws `UploadFailure` (`permanent`) for several files if the destination's URL names a single one.
    static func check(_ count: Int, for destination: Destination) throws(UploadFailure) {
        // Until `auto` knows the protocol, a URL on the command line counts as the URL of one file.
        guard nameDecidesURL(at: destination) ?? destination.options.isGivenAddress, count > 1,
            !UploadAddress.tellsNamesApart(destination.url)
        else { return }
        throw UploadFailure(
            .permanent, "\(count) files would replace each other at \(destination.url)",
            hint:
                "end the address with a slash, put {name} where the name goes, or name the protocol (tus+http://…)"
        )
    }
}
