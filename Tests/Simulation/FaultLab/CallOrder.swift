/// Reads strace's output of one thread, and reports every call that relies on something that is not yet synced.
struct CallOrder {
    private let folder: String
    /// The names that were made or changed since the last sync of the folder.
    private var names: Set<String> = []
    /// The files that were written since their last sync.
    private var written: Set<String> = []
    private(set) var faults: [String] = []
    private(set) var counts: [String: Int] = [:]

    init(folder: String) { self.folder = folder }

    mutating func take(_ line: String) {
        let call = line.drop { $0 != " " }.drop { $0 == " " }
        guard let bracket = call.firstIndex(of: "(") else { return }
        // A failed call has changed nothing.
        if call.contains(") = -1 ") { return }
        let arguments = call[bracket...].dropFirst()
        switch call[..<bracket] {
        case "writev": acknowledgement(arguments)
        case "mkdir", "mkdirat":
            guard arguments.contains(folder + "\"") else { return }
            count("folders made")
            expect(arguments.contains("0700)"), "the folder is not 0700: \(call)")
        case "fchmod", "fchmodat":
            if arguments.contains(folder) { fault("a mode was changed: \(call)") }
        case "openat" where arguments.contains("O_CREAT") && isOurs(arguments):
            creation(arguments, String(call))
        case "write" where isOurs(arguments): written.insert(file(arguments))
        case "fdatasync", "fsync":
            if arguments.contains("<" + folder + ">") {
                names = []
                count("syncs of the folder")
            } else if isOurs(arguments) {
                written.remove(file(arguments))
                count("syncs of files")
            }
        case "linkat" where isOurs(arguments):
            count("links")
            if let other = quoted(arguments).last { names.insert(other) }
        case "renameat", "renameat2":
            if isOurs(arguments) { rename(quoted(arguments)) }
        case "unlinkat" where isOurs(arguments): removal(quoted(arguments).first ?? "")
        default: break
        }
    }

    private mutating func acknowledgement(_ arguments: Substring) {
        guard arguments.contains("\"durable ") else { return }
        count("acknowledgements")
        let journals = written.filter { $0.hasPrefix("journal.") }
        expect(journals.isEmpty, "acknowledged before \(journals) was synced")
        expect(names.isEmpty, "acknowledged before the folder was synced after \(names)")
    }

    private mutating func creation(_ arguments: Substring, _ call: String) {
        let name = quoted(arguments).first ?? ""
        count("files made")
        expect(arguments.contains(", 0600)"), "\(name) is not 0600: \(call)")
        if name == "lock" { return }
        expect(arguments.contains("O_EXCL"), "\(name) may have been there: \(call)")
        expect(arguments.contains("O_NOFOLLOW"), "\(name) may be a link: \(call)")
        // An unfinished file may lose its name in a crash.
        if !name.hasPrefix(".tmp.") { names.insert(name) }
    }

    private mutating func rename(_ both: [String]) {
        guard both.count == 2 else { return }
        count("renames")
        expect(!written.contains(both[0]), "\(both[0]) took the place of \(both[1]) before it was synced")
        names.insert(both[1])
        names.remove(both[0])
    }

    private mutating func removal(_ name: String) {
        count("removals")
        names.remove(name)
        written.remove(name)
        // Other files are leftovers of a crash. They may be removed at any time.
        if name.hasPrefix("journal.") {
            expect(names.isEmpty, "\(name) was removed before the folder was synced after \(names)")
        }
    }

    private func isOurs(_ arguments: Substring) -> Bool {
        arguments.contains("<" + folder + ">") || arguments.contains("<" + folder + "/")
    }

    /// Returns the name of the file behind the first descriptor in the arguments.
    private func file(_ arguments: Substring) -> String {
        let path = arguments.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
        return String(path.dropFirst(folder.count + 1))
    }

    private func quoted(_ arguments: Substring) -> [String] {
        arguments.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
    }

    private mutating func count(_ what: String) { counts[what, default: 0] += 1 }
    private mutating func expect(_ isSo: Bool, _ text: String) { if !isSo { fault(text) } }
    private mutating func fault(_ text: String) { faults.append(text) }
}
