import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads

struct LimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Limit the bandwidth, or show the limits.",
        discussion: """
            A limit set here stays until it is changed, whatever the configuration's timetable says; auto restores \
            the configured limit. All applicable limits apply.

              ferry limit 20M
              ferry limit 2M --to films
              ferry limit off
            """)

    @Argument(help: "20M or 800K (MiB or KiB per second), off for no limit, auto for the configured limit.")
    var rate: String?

    @Option(name: .customLong("to"), help: "Limit the uploads to this destination, together.")
    var destination: String?

    @Option(help: "Limit the uploads of this batch, together.") var batch: String?

    @Flag(help: "One JSON object a line.") var json = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try require(destination == nil || batch == nil, "Give --to or --batch, not both.")
        _ = try order
    }

    func run() async throws {
        let access = try global.access()
        if let order = try order {
            // `auto` needs no check: it also removes the limit of a destination or batch that no longer exists.
            if order != nil { try await checkIsKnown([], access) }
            _ = try await access.perform(.limitBandwidth(order, scope ?? .total))
        }
        guard case .limits(let limits) = try await access.perform(.limits) else { return }
        if rate == nil { try await checkIsKnown(limits, access) }
        for limit in scope.map({ [limits[$0]] }) ?? limits.withTotal {
            print(json ? LimitLine(limit: limit).json : Self.line(limit))
        }
    }

    /// The limit that the command line sets; nil if it sets none. The inner optional is nil for `auto`.
    private var order: Bandwidth?? {
        get throws {
            guard let rate else { return nil }
            // Some users mean by 0 that nothing is sent, others that there is no limit.
            guard ByteFormat.parse(rate) != 0 else {
                throw ValidationError(
                    "\(rate) is not a limit: `off` removes the limit, `ferry pause --all` stops the uploads.")
            }
            do throws(UploadFailure) { return .some(try Bandwidth.parse(rate)) } catch {
                let hint = error.hint.map { ". Limits are \($0)." } ?? "."
                throw ValidationError(error.summary + hint)
            }
        }
    }

    /// The scope that the command line names or, with a rate alone, all uploads; nil to show all limits.
    private var scope: LimitScope? {
        destination.map { .destination($0) } ?? batch.map { .batch($0) } ?? (rate == nil ? nil : .total)
    }

    /// Throws if the destination or batch that the user named is in no upload, no limit and not in the configuration.
    private func checkIsKnown(
        _ limits: [BandwidthLimit], _ access: QueueAccess
    ) async throws(CommandFailure) {
        guard let scope, scope != .total, !limits.contains(where: { $0.scope == scope }) else { return }
        let assembly = try access.assembly.get()
        let configured = assembly.configuration.destinations
        guard destination.map({ configured[$0] == nil }) ?? true,
            case .uploads(let uploads) = try await access.perform(.list)
        else { return }
        switch scope {
        case .total: break
        case .batch(let name):
            let batches = Set(uploads.compactMap(\.batch))
            guard batches.contains(name) else {
                throw CommandFailure(refused: .unknownBatch(name, known: batches))
            }
        case .destination(let name):
            let address = try? assembly.destination(name).url
            guard uploads.contains(where: { $0.target.destination == name || $0.target.url == address })
            else {
                throw CommandFailure(
                    usage: "there is no destination \(name)",
                    hint: Suggestions.hint(for: name, among: configured.keys.sorted()) ?? "none is configured"
                )
            }
        }
    }

    private static func line(_ limit: BandwidthLimit) -> String {
        let isPlain = limit.bandwidth == .unlimited && limit.origin == .configuration
        let words = limit.origin == .command ? "set by `ferry limit`" : limit.origin.rawValue
        let origin = isPlain ? "" : " (\(words))"
        return SafeLine.text("\(limit.scope.title): \(limit.text(at: Date(), in: .local))\(origin)")
    }
}
