import FerryUploads

extension JournalError {
    /// The next step for the user, with commands and options of `ferry`; nil if there is none.
    var commandHint: String? {
        switch self {
        case .folderCannotBeMade: "name another folder with --state-dir"
        case .notAllowed: "make it readable and writable for you, or name another folder with --state-dir"
        case .unsafe(_, _, .notADirectory), .unsafe(_, _, .parentOfAnotherUser):
            "name another folder with --state-dir"
        case .unsafe(let path, _, .parentOpenToOthers):
            "`chmod go-w \(ShellWord.quoted(path))`, or name another folder with --state-dir"
        case .locksNotSupported: "name a folder on a local disk with --state-dir"
        case .damaged(let path, let byte, _):
            path.hasSuffix(".jsonl")
                ? "nothing was changed; `ferry state export` prints all that is before it; to continue without what "
                    + "follows, keep a copy, then `truncate -s \(byte) \(ShellWord.quoted(path))`"
                : "nothing was changed; correct it and start once with --accept-edited, or put back a copy; "
                    + "--discard-edited goes back to the snapshot before it, if that is there"
        case .edited:
            "nothing was changed; start once with --accept-edited to take it over, or with --discard-edited to go "
                + "back to what was saved and keep the edited file aside"
        case .olderCopy(_, _, _, hasNewer: true):
            "nothing was changed; start once with --discard-edited to keep the copy aside and continue with the newer "
                + "queue; to use the copy itself, put it alone into an empty folder and name that with --state-dir"
        case .olderCopy(_, _, _, hasNewer: false):
            "nothing was changed; put the newer queue.json back; to use the copy itself, put it alone into an empty "
                + "folder and name that with --state-dir"
        case .newerFormat:
            "nothing was changed; use that version; `ferry list` and `ferry state export` show what this one understands"
        case .inUse(_, _, host: nil): "`ferry wait --all` waits for its uploads, `ferry stop` ends it"
        case .unsafe, .inUse, .diskFull, .failed, .recordTooLarge, .notOpen: hint
        }
    }
}
