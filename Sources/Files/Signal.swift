#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The numbers of the signals that Ferry handles (`signal(7)`).
package enum Signal {
    package static let interrupt = SIGINT
    package static let terminate = SIGTERM
    package static let hangUp = SIGHUP
    package static let quit = SIGQUIT
    package static let suspend = SIGTSTP
    package static let resume = SIGCONT
    package static let windowChange = SIGWINCH

    /// Ends the process at once, without cleanup. The exit status is 128 plus the signal's number, as in shells.
    package static func exitNow(by signal: Int32) -> Never { _exit(128 + signal) }
}
