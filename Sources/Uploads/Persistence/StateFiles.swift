/// The operations on the state folder that the journal needs, on disk or in the memory of a test.
package protocol StateFiles: Sendable {
    var path: String { get }

    func names() throws(SystemCallError) -> [String]

    /// Opens an existing file; nil if there is none. Throws an error if the file is unsafe (`FileDanger`).
    func open(_ name: String, for access: FileAccess) throws(SystemCallError) -> (any StateFile)?

    /// Creates a file, readable and writable for its owner only; fails if the name is taken.
    func create(_ name: String) throws(SystemCallError) -> any StateFile

    /// Creates the hard link `other` to a file; fails if the name `other` is taken.
    func link(_ name: String, as other: String) throws(SystemCallError)

    /// Renames a file, and replaces any file that has the new name.
    func rename(_ name: String, to other: String) throws(SystemCallError)

    func remove(_ name: String) throws(SystemCallError)

    func isSame(_ name: String, _ other: String) throws(SystemCallError) -> Bool

    /// Syncs the folder, so that the creation, renaming and removal of files survive a power cut.
    func synchronize() throws(SystemCallError)
}

extension StateFiles {
    func perform<Value>(_ calls: () throws(SystemCallError) -> Value) throws(JournalError) -> Value {
        do throws(SystemCallError) { return try calls() } catch { throw JournalError(error, in: path) }
    }

    func openOrCreate(_ name: String) throws(SystemCallError) -> any StateFile {
        if let existing = try open(name, for: .appending) { existing } else { try create(name) }
    }
}

package enum FileAccess: Sendable {
    case reading
    /// The file is opened for reading at any position, and for writing at its end.
    case appending
}

package protocol StateFile: Sendable, AnyObject {
    func length() throws(SystemCallError) -> Int

    /// Reads from `offset` until `buffer` is full or the file ends. Returns the number of bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int

    /// Writes all of `bytes` at the end of the file. After an error, the file possibly contains some of the bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError)

    /// Reserves `length` bytes on the disk for the file, which must be empty.
    func allocate(_ length: Int) throws(SystemCallError)

    func truncate(to length: Int) throws(SystemCallError)

    /// Makes the content survive a power cut. After an error, a later sync can succeed although bytes were dropped.
    func synchronize() throws(SystemCallError)
}

extension StateFile {
    package func append(_ bytes: [UInt8]) throws(SystemCallError) {
        // Typed throws do not pass through the closure of `withUnsafeBytes` on all compilers.
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemCallError) in try append(buffer) }
        }
        try result.get()
    }

    package func allocate(_ length: Int) throws(SystemCallError) { try fill(length) }

    func fill(_ length: Int) throws(SystemCallError) {
        let spaces = [UInt8](repeating: 0x20, count: min(length, 1 << 16))
        var rest = length
        while rest > 0 {
            try append(rest < spaces.count ? Array(spaces[..<rest]) : spaces)
            rest -= spaces.count
        }
    }

    package func content() throws(SystemCallError) -> [UInt8] { try content(from: 0, count: try length()) }

    /// Reads `count` bytes from the position `offset` on, or fewer if the file ends before.
    func content(from offset: Int, count: Int) throws(SystemCallError) -> [UInt8] {
        guard count > 0 else { return [] }
        var failure: SystemCallError?
        let content = [UInt8](unsafeUninitializedCapacity: count) { buffer, count in
            do throws(SystemCallError) {
                count = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return content
    }
}

extension SystemCallError {
    /// True if this error of `link` means that hard links to the file cannot be created here.
    var isLinkUnsupported: Bool {
        [.notPermitted, .notSupported, .notSupportedOnSocket, .noFunction, .tooManyLinks].contains(code)
    }
}
