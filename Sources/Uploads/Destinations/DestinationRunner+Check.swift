public import FerryProtocols
public import FerryTransfer

extension DestinationRunner {
    /// Asks the server of a destination for its capabilities, and stores them for later uploads. Throws `UploadFailure`
    /// if the server cannot be reached, or if files cannot be uploaded to it.
    public func check(_ destination: Destination) async throws(UploadFailure) -> Redacted<CheckReport> {
        var destination = destination
        if destination.name.isEmpty, destination.interceptor == nil {
            destination.interceptor = destinations.addressCredentials(destination.target(name: ""))
        }
        let entry = try Self.entry(named: destination.protocolName)
        if let refusal = entry.refusal(of: destination.options) { throw refusal }
        let check = entry.check(destination.url, destination.options) ?? PlainCheck(url: destination.url)
        let label = destination.name
        let report = try await withSender(for: destination) { sender throws(UploadFailure) in
            try await sender.run(check, label: label)
        }
        if let found = report.value.capabilities {
            capabilities.keep(report.map { _ in found }, of: CapabilityKey(destination), at: now())
        }
        return report
    }

    /// Returns the stored capabilities of a destination's server, even if they are old. Nil if none are stored.
    public func known(of destination: Destination) -> ServerCapabilities? {
        capabilities.capabilities(of: CapabilityKey(destination))
    }

    /// Deletes an unfinished upload that `check` found on the server.
    public func remove(
        _ leftover: CheckReport.Leftover, at destination: Destination
    ) async throws(UploadFailure) {
        let item = UploadItem(url: destination.url, name: leftover.name, size: 0, key: "ferry-check")
        let removal = try Self.entry(named: destination.protocolName).make(item, destination.options)
            .removal(of: leftover.resource)
        try await delete(removal, at: destination, label: destination.name)
    }
}
