package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts programs in a clean state, as a shell does: standard input is empty, no signal is blocked or ignored, and no
/// other descriptor of this process is open.
package enum Spawn {
    /// The program could not be started.
    package struct Failure: Error {
        package var program: String
        package var reason: String
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments. The program is looked up in `PATH` unless its name has a slash.
    ///   - variables: The whole environment, each entry as `NAME=value`.
    ///   - output: The descriptor of its standard output.
    ///   - errors: The descriptor of its standard error; nil for that of this process.
    /// - Returns: The id of its process.
    package static func program(
        _ words: [[UInt8]], variables: [[UInt8]], output: Int32, errors: Int32? = nil
    ) throws -> pid_t {
        guard let program = words.first else { throw Failure(program: "", reason: "no program is named") }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, 2) }
        // The HTTP library's sockets are not closed on exec. A child with a copy of them would keep connections open.
        #if canImport(Darwin)
            let closing = Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
            for descriptor in 3..<descriptorLimit { posix_spawn_file_actions_addclose(&actions, descriptor) }
            let closing: Int16 = 0
        #endif
        // The threads of a test runner block signals, and strace waits forever if its program inherits that.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGCHLD] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | closing)
        let arguments = words.map(copy)
        let environment = variables.map(copy)
        defer { for pointer in arguments + environment { free(pointer) } }
        var id: pid_t = 0
        let name = String(decoding: program, as: UTF8.self)
        let result = posix_spawnp(&id, name, &actions, &attributes, arguments + [nil], environment + [nil])
        guard result == 0 else { throw Failure(program: name, reason: String(cString: strerror(result))) }
        return id
    }

    /// A number above every open descriptor, with a reserve for those that other threads open in the meantime.
    private static var descriptorLimit: Int32 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return (names.compactMap { Int32($0) }.max() ?? 256) + 64
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        (bytes + [0]).withUnsafeBytes { raw in
            raw.baseAddress.flatMap { strdup($0.assumingMemoryBound(to: CChar.self)) }
        }
    }
}
