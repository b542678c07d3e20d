// Example: stream
import Ferry
import Foundation

struct ProgramFailed: Error {
    let status: Int32
}

/// Streams the output of a program. Each chunk is read when the connection can send it. The read blocks a thread.
func output(of command: [String]) throws -> AsyncThrowingStream<[UInt8], any Error> {
    let program = Process()
    let pipe = Pipe()
    program.executableURL = URL(filePath: "/usr/bin/env")
    program.arguments = command
    program.standardOutput = pipe
    try program.run()
    return AsyncThrowingStream {
        let chunk = try pipe.fileHandleForReading.read(upToCount: 1 << 16) ?? Data()
        guard chunk.isEmpty else { return [UInt8](chunk) }
        program.waitUntilExit()
        // Half an archive must not look like a whole one.
        guard program.terminationStatus == 0 else { throw ProgramFailed(status: program.terminationStatus) }
        return nil
    }
}

func backUp(_ folder: String, to server: String, over session: Session) async throws {
    let archive = BodyStream { try output(of: ["tar", "-cz", "-C", folder, "."]) }
    _ = try await session.upload(.stream(archive), to: server + "/backup.tar.gz", method: .put).status()
}
// end
