import FerryConnectivity
import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads
import HTTPTypes

/// Makes the destinations, the queue and the network monitor of a process from its configuration.
struct Assembly {
    let configuration: Configuration
    /// The state folder: it contains the queue and the stored tokens.
    let state: LocalPath
    /// The policy for a queue.json that a user has edited. By default, a queue with such a file does not start.
    var edited = EditedSnapshot.refuse
    /// The origin of the configuration, for reading it again; nil if it did not come from a file.
    var source: ConfigurationSource?
    /// True if uploads to servers on this machine also wait while the network is down, as in the demo.
    var treatsLoopbackAsRemote = false
    let secrets = SecretReader()

    func noteUnusedEdit() {
        if edited != .refuse { StandardError.note("an edit takes effect once no engine is running") }
    }

    var destinations: [Destination] {
        configuration.destinations.sorted { $0.key < $1.key }.map { destination(named: $0.key, $0.value) }
    }

    /// Returns the destination with this name or URL, such as `tus+https://host/`. For nil, returns the default
    /// destination or else the only one.
    ///
    /// - Throws: `UploadFailure` (`permanent`) for an unknown name or an invalid URL, and for nil without a default.
    func destination(_ name: String?) throws(UploadFailure) -> Destination {
        let known = configuration.destinations
        guard let name else {
            if let name = configuration.defaultDestination ?? (known.count == 1 ? known.keys.first : nil),
                let settings = known[name]
            {
                return destination(named: name, settings)
            }
            throw UploadFailure(
                .permanent, "no destination was named" + (known.isEmpty ? " and none is configured" : ""),
                hint: known.isEmpty
                    ? "use --to https://…, or set one up: `ferry init`"
                    : "use --to with one of \(known.keys.sorted().joined(separator: ", ")), or set defaultDestination"
            )
        }
        if let settings = known[name] { return destination(named: name, settings) }
        if let address = try address(name) { return address }
        let names =
            Suggestions.hint(for: name, among: known.keys.sorted())
            ?? "none is configured (`ferry init` sets one up)"
        throw UploadFailure(
            .permanent, "there is no destination \(name)",
            hint: name.contains(where: { ".:/".contains($0) })
                ? "an address begins with http:// or https://; \(names)" : "\(names); an address works too")
    }

    private func address(_ text: String) throws(UploadFailure) -> Destination? {
        guard text.contains("://") else { return nil }
        var (protocolName, url) = ("", text)
        if !UploadAddress.isUnixSocket(text), let plus = text.firstIndex(of: "+"),
            let colon = text.firstIndex(of: ":"), plus < colon
        {
            protocolName = String(text[..<plus])
            url = String(text[text.index(after: plus)...])
        }
        if S3Location.isLocation(url), protocolName == S3Upload.name || url == text {
            do throws(S3Location.Issue) {
                (protocolName, url) = (S3Upload.name, try S3Location(url).url)
            } catch {
                throw UploadFailure(
                    .permanent, "\(text) is not \(error.expected)",
                    hint: "another server than AWS's is written s3+https://host/bucket/folder/")
            }
        } else if url == text {
            protocolName = AutoUpload.name
        }
        let names = ProtocolCatalog.names
        guard names.contains(protocolName) else {
            throw UploadFailure(
                .permanent, "the protocol \(protocolName) in \(text) is not known",
                hint: Suggestions.hint(for: protocolName, among: names))
        }
        if let expected = UploadAddress.expectation(brokenBy: url) {
            throw UploadFailure(.permanent, "\(url) is not \(expected)", hint: Self.hint(onAddress: url))
        }
        guard url.utf8.count <= UploadAddress.longest else {
            throw UploadFailure(
                .permanent,
                "the address has \(url.utf8.count) bytes; at most \(UploadAddress.longest) are taken")
        }
        guard URL(string: url)?.user() == nil else {
            throw UploadFailure(
                .permanent, "an address must not hold a user or password",
                hint: "they would be stored with the queue; put them into a destination's auth")
        }
        var options = ProtocolOptions()
        options.isGivenAddress = true
        return Destination(name: "", url: url, protocolName: protocolName, options: options)
    }

    private static func hint(onAddress url: String) -> String {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        return switch scheme {
        case "ftp", "ftps", "sftp", "scp", "ssh", "rsync", "smb", "nfs", "gs":
            "Ferry does not speak \(scheme); it uploads by \(ProtocolCatalog.names.joined(separator: ", ")), over http or https"
        case "dav": "write it webdav+http://…"
        case "davs": "write it webdav+https://…"
        case UploadAddress.unixScheme, "unix": "a Unix socket is written \(UploadAddress.socketExample)"
        default: "an address looks like https://host/folder/; `ferry init` sets up a destination with a name"
        }
    }

    func destination(named name: String, _ settings: DestinationSettings) -> Destination {
        destination(named: name, settings, signIn: interceptor(for: name, settings))
    }

    func destination(
        named name: String, _ settings: DestinationSettings, signIn: (any RequestInterceptor)?
    ) -> Destination {
        var fields = HTTPFields()
        for (name, value) in settings.headers.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return Destination(
            name: name, url: settings.url, protocolName: settings.protocolName,
            options: settings.options, fields: fields, parameters: settings.parameters,
            interceptor: signIn,
            tls: settings.tls, proxy: proxy(settings.proxy ?? configuration.proxy),
            congestionControl: settings.congestionControl)
    }

    func proxy(_ choice: ProxyChoice) -> ProxySettings {
        choice.settings { [secrets] secret async throws(UploadFailure) in try await secrets.read(secret) }
    }

    var timeouts: HTTPClientTransport.Timeouts {
        let timeouts = configuration.timeouts
        return HTTPClientTransport.Timeouts(
            connect: .seconds(timeouts.connect), stall: .seconds(timeouts.stall),
            response: .seconds(timeouts.response))
    }

    /// Creates the runner, which sends uploads and checks destinations. The caller must shut down the runner.
    func runner(
        rateLimit: RateLimit, monitors: [any EventMonitor], readers: BlockingIOPool = .shared
    ) -> DestinationRunner {
        DestinationRunner(
            Destinations(
                destinations, timeouts: timeouts, proxy: proxy(configuration.proxy),
                addressCredentials: addressCredentials()),
            capabilities: CapabilityFile(folder: state), abandoned: AbandonedUploads(folder: state),
            readers: readers, rateLimit: rateLimit, monitors: monitors,
            isLocal: { [treatsLoopbackAsRemote] in !treatsLoopbackAsRemote && Reachability.isLocal(host: $0) }
        )
    }

    /// Creates the queue in the state folder that `lock` locks, and the runner that sends its uploads. The caller must
    /// first stop the queue, and then shut down the runner.
    ///
    /// - Parameter snapshotsAtEnds: False for a process that performs one command: it only appends to the journal, and
    ///   does not rewrite a long queue (queue.json) at its start and end.
    func queue(
        _ lock: StateLock, monitors: [any EventMonitor], snapshotsAtEnds: Bool = true
    ) -> (UploadQueue, DestinationRunner) {
        let limit = RateLimit()
        let readers = BlockingIOPool(timeout: .seconds(configuration.timeouts.read))
        let runner = runner(rateLimit: limit, monitors: monitors, readers: readers)
        var options = FileJournal.Options()
        options.editedSnapshot = edited
        options.snapshotsAtEnds = snapshotsAtEnds
        let queue = UploadQueue(
            configuration: queueConfiguration, journal: FileJournal(lock, options: options),
            history: UploadHistory(lock), runner: runner, rateLimit: limit, readers: readers)
        return (queue, runner)
    }

    var queueConfiguration: UploadQueue.Configuration {
        let limits = configuration.limits
        let retry = configuration.retry
        return UploadQueue.Configuration(
            concurrency: limits.concurrency ?? 4, concurrencyPerHost: limits.perHost,
            // A limit that the user has set counts small uploads like large ones.
            smallUploadsPerSlot: limits.concurrency == nil && limits.perHost == nil ? 16 : 1,
            limits: Dictionary(uniqueKeysWithValues: configuration.timetables),
            retry: QueueRetryPolicy(
                base: retry.base, cap: retry.cap, serverTries: retry.serverTries,
                whenFileChanges: configuration.whenFileChanges, onUncertain: retry.onUncertain),
            keptDone: limits.done)
    }

    /// Returns the monitor that watches the network; nil if the configuration switches it off.
    func linkMonitor() -> (any LinkMonitor)? {
        guard configuration.connectivity.monitor else { return nil }
        let log = TransferLog(folder: state)
        let system = DampedLinkMonitor(SystemLinkMonitor { log.note($0) }, clock: ContinuousClock())
        let policy = configuration.connectivity.policy
        guard policy.isNeeded else { return system }
        let provider = NetworkInfoProvider { log.note($0) }
        return PolicyLinkMonitor(base: system, policy: policy, clock: ContinuousClock()) {
            await provider.current()
        }
    }
}
