import CFerryFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program that this process started. The child inherits three descriptors, and no blocked or ignored signals.
package struct ChildProcess: Sendable {
    /// The process id, which the kernel reserves until the process is reaped, so that a signal reaches no other one.
    package let id: Int32

    package enum Isolation: Sendable {
        /// A process group of its own, which `killGroup` kills, except for processes that have left it.
        case group
        /// A session of its own: the child has no terminal, and no shell sends it SIGHUP.
        case session
    }

    package enum Environment: Sendable {
        case only([String: String])
        /// The environment of this process, plus the variables that it does not have.
        case inherited(adding: [String: String])
    }

    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(by: Int32)

        /// The exit status as shells report it: 128 plus the signal's number for a killed process.
        package var status: Int32 {
            switch self {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        }
    }

    /// - Parameters:
    ///   - program: The program, searched in PATH unless the name has a slash; nil for the first element of `words`.
    ///   - folder: The working directory, at which a relative program path starts; nil for that of this process.
    package init(
        _ program: String? = nil, words: [String], environment: Environment, folder: String? = nil,
        input: Descriptor, output: Descriptor, errors: Descriptor, isolation: Isolation
    ) throws(SystemCallError) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // The descriptors are copied to numbers above 2, because the child replaces 0 to 2 one after the other.
        let streams = [input, output, errors].map { fcntl($0.number, F_DUPFD_CLOEXEC, 3) }
        defer { for stream in streams where stream >= 0 { close(stream) } }
        guard !streams.contains(-1) else { throw SystemCallError("fcntl") }
        var code = posix_spawn_file_actions_init(&actions)
        guard code == 0 else { throw Self.failure(code) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        code = posix_spawnattr_init(&attributes)
        guard code == 0 else { throw Self.failure(code) }
        defer { posix_spawnattr_destroy(&attributes) }

        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        let own = isolation == .group ? CInt(POSIX_SPAWN_SETPGROUP) : CInt(FERRY_SPAWN_SETSID)
        var flags = own | CInt(POSIX_SPAWN_SETSIGDEF) | CInt(POSIX_SPAWN_SETSIGMASK)
        #if canImport(Darwin)
            flags |= CInt(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #endif
        var steps = streams.enumerated().map { number, stream in
            posix_spawn_file_actions_adddup2(&actions, stream, CInt(number))
        }
        if let folder { steps.append(posix_spawn_file_actions_addchdir_np(&actions, folder)) }
        #if os(Linux)
            // The HTTP library's sockets lack close-on-exec, so the child would keep their connections open.
            steps.append(posix_spawn_file_actions_addclosefrom_np(&actions, 3))
        #endif
        steps += [
            posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags)),
            posix_spawnattr_setpgroup(&attributes, 0), posix_spawnattr_setsigdefault(&attributes, &all),
            posix_spawnattr_setsigmask(&attributes, &none),
        ]
        if let code = steps.first(where: { $0 != 0 }) { throw Self.failure(code) }

        var arguments = words.map { strdup($0) } + [nil]
        let added = environment.added.map { strdup("\($0.key)=\($0.value)") }
        var variables = environment.kept + added + [nil]
        defer { for text in arguments + added { free(text) } }
        var process = pid_t(0)
        code = posix_spawnp(
            &process, program ?? words.first ?? "", &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw Self.failure(code) }
        id = process
    }

    private static func failure(_ code: CInt) -> SystemCallError {
        SystemCallError(call: "posix_spawn", code: Errno(rawValue: code))
    }

    /// Waits until the child has ended, without reaping it. Returns nil if it was reaped before.
    package func waitForEnd() -> Ending? {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else { return nil }
        }
        #if canImport(Darwin)
            let status = information.si_status
        #else
            let status = information._sifields._sigchld.si_status
        #endif
        return information.si_code == CLD_EXITED ? .exited(status) : .killed(by: status)
    }

    /// Waits until the child has ended, and releases its process id.
    package func reap() { while waitpid(id, nil, 0) < 0, errno == EINTR {} }

    /// Returns the ending of the child, and reaps it. Returns nil while it runs, or if it was reaped before.
    package func reapIfEnded() -> Ending? {
        var status: CInt = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)
    }

    /// Kills all processes in the process group of the child (SIGKILL).
    package func killGroup() { kill(-id, SIGKILL) }
}

extension ChildProcess.Environment {
    fileprivate var kept: [UnsafeMutablePointer<CChar>?] {
        guard case .inherited = self else { return [] }
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(variable)
            next += 1
        }
        return variables
    }

    fileprivate var added: [String: String] {
        switch self {
        case .only(let variables): variables
        case .inherited(let more): more.filter { getenv($0.key) == nil }
        }
    }
}
