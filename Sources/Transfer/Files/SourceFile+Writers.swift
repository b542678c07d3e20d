#if canImport(Glibc)
    import Glibc
#endif

extension SourceFile {
    /// Whether somebody has the file open to write to it, or mapped; nil where that cannot be known, as of files of
    /// other users.
    ///
    /// Only to be asked of a local file system: others grant no lease for reasons of their own.
    package var hasWriters: Bool? {
        #if os(Linux)
            // Whoever opens the file meanwhile waits for the moment that this takes, and the system tells us by a
            // signal: by one that ends nobody who does not expect it.
            guard fcntl(descriptor, Self.setSignal, SIGURG) == 0 else { return nil }
            if fcntl(descriptor, Self.setLease, CInt(F_RDLCK)) == 0 {
                _ = fcntl(descriptor, Self.setLease, CInt(F_UNLCK))
                return false
            }
            return errno == EAGAIN ? true : nil
        #else
            return nil
        #endif
    }

    #if os(Linux)
        // F_SETSIG and F_SETLEASE of fcntl(2), which the C library hides behind _GNU_SOURCE.
        private static let setSignal: CInt = 10
        private static let setLease: CInt = 1024
    #endif
}
