import FerryFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Shows long text on a terminal through PAGER or less, as git and man do.
enum Pager {
    private static let fallback = "if command -v less >/dev/null; then exec less; else exec cat; fi"

    static func show(_ text: String) {
        guard isatty(STDOUT_FILENO) == 1 else { return print(text, terminator: "") }
        let chosen = ProcessInfo.processInfo.environment["PAGER"] ?? ""
        // Unless the user sets LESS, less exits by itself if the text fits the screen.
        setenv("LESS", "FRX", 0)
        // Leaving the pager before the end of the text is no error.
        signal(SIGPIPE, SIG_IGN)
        guard let pipe = popen(chosen.isEmpty ? fallback : chosen, "w") else {
            return print(text, terminator: "")
        }
        fputs(text, pipe)
        pclose(pipe)
    }
}
