#if os(Linux)
    import Foundation
    import FerryTestSupport

    /// Libraries in C that replace system calls in a program (`LD_PRELOAD`).
    enum PreloadedLibrary {
        struct NotCompiled: Error {
            var source: String
        }

        static let compiler = ["clang", "cc"].first(where: Privilege.has)

        /// Compiles a library.
        ///
        /// - Parameter source: The name of a file in `Tests/Tools/Preloaded`.
        /// - Returns: The path of the library, for `LD_PRELOAD`.
        static func compile(_ source: String, in directory: TemporaryDirectory) async throws -> String {
            let file = Repository.root.appending(path: "Tests/Tools/Preloaded/\(source)")
            let library = directory.path(file.deletingPathExtension().lastPathComponent + ".so")
            let words = [
                compiler ?? "cc", "-shared", "-fPIC", "-O1", "-o", library, file.path(percentEncoded: false),
            ]
            let compiling = try ChildProcess(
                "/usr/bin/env", words.map { Array($0.utf8) },
                environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"])
            guard try await compiling.ending() == .exited(0) else { throw NotCompiled(source: source) }
            return library
        }
    }
#endif
