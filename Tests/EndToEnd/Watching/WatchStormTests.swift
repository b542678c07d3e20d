import FerryReceiver
import FerryTestSupport
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests a watched folder into which several programs write at the same time, in different ways.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct WatchStormTests {
    private static let rounds = LongTests.areWanted ? 400 : 25

    /// The events besides the writers.
    enum Trouble: CaseIterable {
        case none
        /// Uploaded files are deleted, while their writers may still use them.
        case deleting
        /// Ferry is killed and started again.
        case kills
    }

    @Test(arguments: Trouble.allCases)
    func `nothing arrives that its writer had not finished, and the last version of all that stays does`(
        trouble: Trouble
    ) async throws {
        let place = try Workplace()
        let out = try place.folder("out")
        try await ReceiverSite.with { site in
            try place.configure(
                """
                { "destinations": { "here": { "url": "\(site.tusURL)", "protocol": "tus", "checksum": "sha-256" } },
                  "retry": { "base": 0.01, "cap": 0.05 }, "whenFileChanges": "restart",
                  "watch": [{ "folder": "\(out)", "recursive": true, "settle": 0.3,
                    "after": "\(trouble == .deleting ? "delete" : "keep")" }] }
                """)
            let first = try place.start("run")
            defer { first.signal(9) }
            try await Eventually.holds("a watched folder") {
                try await place.ferry("status").output.contains("watches  ")
            }
            let killing = trouble == .kills ? Task { try await Self.killing(first, place, site) } : nil
            let writers = (0..<6).map { StormWriter(number: $0, folder: out, rounds: Self.rounds) }
            await withTaskGroup(of: Void.self) { group in
                for writer in writers { group.addTask { await writer.run() } }
            }
            killing?.cancel()
            let run = try await killing?.value ?? first
            let last = writers.reduce(into: Set<Data>()) { $0.formUnion($1.last) }
            #expect(last.count > 10)
            try await Eventually.holds("the last version of every file", upTo: .seconds(180)) {
                last.isSubset(of: Set(site.files().compactMap { site.content($0) }))
            }
            if trouble == .deleting {
                try await Eventually.holds("an empty folder") {
                    let names = FileManager.default.enumerator(atPath: out)?.allObjects as? [String] ?? []
                    return names.allSatisfy { $0.hasPrefix("d") && !$0.contains("/") }
                }
            }
            run.signal(SIGINT)
            _ = try await run.ending()
            for name in site.files() {
                let content = try #require(site.content(name))
                #expect(StormWriter.isWhole(content), "\(name) of \(content.count) bytes is half a file")
            }
        }
    }

    /// Kills the engine whenever more files have arrived.
    ///
    /// - Returns: The engine that runs at the end.
    private static func killing(
        _ first: ChildProcess, _ place: Workplace, _ site: ReceiverSite
    ) async throws -> ChildProcess {
        var run = first
        while !Task.isCancelled {
            let arrived = site.log.totals.created
            do { try await site.log.wait { $0.created > arrived + 7 } } catch { break }
            run.signal(9)
            _ = try? await run.ending()
            run = try place.start("run")
        }
        return run
    }
}

/// Writes files in one of six ways. Each file contains its own checksum, which shows whether it is complete.
private final class StormWriter: Sendable {
    private let number: Int
    private let folder: String
    private let rounds: Int
    private let written = Mutex<[String: Data]>([:])

    init(number: Int, folder: String, rounds: Int) {
        (self.number, self.folder, self.rounds) = (number, folder, rounds)
    }

    /// The last content of each file.
    var last: Set<Data> { Set(written.withLock { $0 }.values) }

    static func isWhole(_ content: Data) -> Bool {
        content.count > 8 && sum(content.dropLast(8)) == content.suffix(8)
    }

    /// The checksum at the end of each file: FNV-1a with 64 bits. An incomplete file does not have it.
    private static func sum(_ content: Data) -> Data {
        let sum = content.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return withUnsafeBytes(of: sum.bigEndian) { Data($0) }
    }

    func run() async {
        await withCheckedContinuation { done in
            Thread.detachNewThread { [self] in
                var dice = SeededGenerator(seed: UInt64(number + 1))
                for round in 0..<rounds { write(round, &dice) }
                done.resume()
            }
        }
    }

    private func write(_ round: Int, _ dice: inout SeededGenerator) {
        // A few names are used repeatedly.
        let name = "w\(number)-\(Int.random(in: 0..<6, using: &dice))"
        let path = "\(folder)/\(name)"
        let content = content(round, &dice)
        switch number {
        case 0: put(content, at: path, O_TRUNC, &dice)
        case 1:
            // The file is written in chunks under another name, and closed after each.
            inChunks(content, &dice) { put($0, at: path + ".part", O_APPEND) }
            move(path + ".part", path)
        case 2:
            put(content, at: "\(folder)/.\(name).Xq3", O_TRUNC, &dice)
            move("\(folder)/.\(name).Xq3", path)
        case 3:
            unlink(path)
            put(content, at: path, O_EXCL, &dice)
            if Bool.random(using: &dice) {
                unlink(path)
                return written.withLock { $0[name] = nil }
            }
        case 4:
            // A folder is filled elsewhere and moved in, and sometimes out again.
            let (elsewhere, inside) = ("\(folder)/../w\(number)-\(round)", "\(folder)/d\(round)")
            mkdir(elsewhere, 0o700)
            put(content, at: "\(elsewhere)/\(name)-\(round)", O_TRUNC, &dice)
            move(elsewhere, inside)
            if Bool.random(using: &dice) {
                usleep(UInt32.random(in: 0..<400_000, using: &dice))
                return move(inside, elsewhere)
            }
            return written.withLock { $0["\(name)-\(round)"] = content }
        default:
            // The file is begun outside and moved in while it is being written.
            let begun = "\(folder)/../\(name)"
            let file = open(begun, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            inChunks(content.prefix(content.count / 2), &dice) { append($0, to: file) }
            move(begun, path)
            inChunks(content.dropFirst(content.count / 2), &dice) { append($0, to: file) }
            close(file)
        }
        written.withLock { $0[name] = content }
        usleep(UInt32.random(in: 0..<150_000, using: &dice))
    }

    private func content(_ round: Int, _ dice: inout SeededGenerator) -> Data {
        let size = Int.random(in: 1...60_000, using: &dice)
        let body =
            Data("\(number) \(round) ".utf8) + Data(repeating: UInt8(truncatingIfNeeded: round), count: size)
        return body + Self.sum(body)
    }

    private func inChunks(_ content: Data, _ dice: inout SeededGenerator, _ write: (Data) -> Void) {
        var rest = content[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...20_000, using: &dice))
            write(chunk)
            rest = rest.dropFirst(chunk.count)
            // Now and then the pause is longer than a file must be unchanged.
            usleep(Int.random(in: 0..<12, using: &dice) == 0 ? 450_000 : 3_000)
        }
    }

    private func put(_ content: Data, at path: String, _ flags: Int32, _ dice: inout SeededGenerator) {
        let file = open(path, O_WRONLY | O_CREAT | flags, 0o600)
        inChunks(content, &dice) { append($0, to: file) }
        close(file)
    }

    private func put(_ content: Data, at path: String, _ flags: Int32) {
        let file = open(path, O_WRONLY | O_CREAT | flags, 0o600)
        append(content, to: file)
        close(file)
    }

    private func append(_ content: Data, to file: Int32) {
        let count = content.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
        precondition(count == content.count, "the disk is full")
    }

    private func move(_ from: String, _ to: String) { rename(from, to) }
}

/// Calls `write(2)`, which the methods of `StormWriter` hide.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}
