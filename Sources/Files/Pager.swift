#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Shows a long text on a terminal through the program in the environment variable `PAGER`. If the variable is
/// missing or empty, uses less, or cat if less is not installed. If standard output is not a terminal, or if no program
/// can be started, prints the text directly.
package enum Pager {
    private static let fallback = "if command -v less >/dev/null; then exec less; else exec cat; fi"

    package static func show(_ text: String) {
        guard StandardStream.output.isTerminal else { return StandardStream.output.write(text) }
        let chosen = ProcessInfo.processInfo.environment["PAGER"] ?? ""
        // With these options, `less` exits at once if the text fits the screen. A `LESS` that the user has set stays.
        setenv("LESS", "FRX", 0)
        // If the user leaves the pager early, writing to it must not end this process.
        signal(SIGPIPE, SIG_IGN)
        guard let pipe = popen(chosen.isEmpty ? fallback : chosen, "w") else {
            return StandardStream.output.write(text)
        }
        fputs(text, pipe)
        pclose(pipe)
    }
}
