import ArgumentParser

/// The options of `ferry run` for watched folders. The engine also watches the folders that the configuration names.
struct WatchOptions: ParsableArguments {
    @Option(
        name: .customLong("watch"),
        help: ArgumentHelp(
            "Upload files that arrive in this folder, once they are complete; may be repeated.",
            discussion: "In addition to the configuration's `watch`, which has more options.",
            valueName: "folder"),
        completion: .directory)
    var folders: [String] = []

    @Option(help: "The destination of --watch: a name or an address.") var to: String?

    @Flag(help: "Also watch subfolders.") var recursive = false

    @Option(
        help: ArgumentHelp(
            "How long a file must be unchanged: \(DurationArgument.forms); 5.", valueName: "time"))
    var settle: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "What to do with an uploaded file of --watch: keep, delete (if the server confirmed it by a digest) or move:FOLDER.",
            valueName: "choice"),
        transform: Self.after)
    var after: WatchSettings.After?

    func validate() throws {
        try require(
            !folders.isEmpty || to == nil && !recursive && settle == nil && after == nil,
            "--to, --recursive, --settle and --after are for --watch; name a folder.")
        try require(
            settle.map({ WatchSettings.settleRange.contains($0.seconds) }) ?? true,
            "--settle is from 0.1 seconds to a day.")
        try require(!folders.contains(""), "--watch is the path of a folder.")
    }

    /// Throws if a folder of `--watch` does not exist. Only the configuration may name a folder that comes and goes.
    func check() throws(CommandFailure) {
        for folder in folders {
            let path = LocalFiles.absolute(folder)
            switch LocalFiles.isFolder(path) {
            case true?: break
            case nil:
                throw CommandFailure(
                    usage: "there is no folder \(path) to watch",
                    hint:
                        "check its name; a folder that comes and goes belongs in `watch` of the configuration"
                )
            case false?:
                throw CommandFailure(usage: "\(path) is not a folder", hint: "name the folder it is in")
            }
        }
    }

    var settings: [WatchSettings] {
        folders.map { folder in
            var settings = WatchSettings(folder: LocalFiles.absolute(folder))
            settings.to = to
            settings.isRecursive = recursive
            settings.settle = settle?.seconds ?? settings.settle
            settings.after = after ?? .keep
            return settings
        }
    }

    /// The options as arguments for a process with possibly another working directory; empty without `--watch`.
    var arguments: [String] {
        guard !folders.isEmpty else { return [] }
        var words = folders.flatMap { ["--watch", LocalFiles.absolute($0)] }
        if let to { words += ["--to", to] }
        if recursive { words.append("--recursive") }
        if let settle { words += ["--settle", "\(settle.seconds)"] }
        if let after { words += ["--after", after.argument] }
        return words
    }

    private static func after(_ text: String) throws -> WatchSettings.After {
        switch WatchSettings.After(argument: text) {
        case .move(let goal)?: return .move(LocalFiles.absolute(goal))
        case let after?: return after
        case nil: throw ValidationError("'\(text)' is not one of keep, delete and move:FOLDER.")
        }
    }
}
