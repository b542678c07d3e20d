import Foundation
import Transfer
import UploadProtocols
import Uploads

/// What an edited configuration makes of what runs.
extension Assembly {
    /// The same with the configuration as it is now.
    ///
    /// - Throws: `UploadFailure` (`permanent`) that names the file, the key and what is expected there.
    func readAgain() throws(UploadFailure) -> Assembly {
        guard let source else {
            throw UploadFailure(
                .permanent, "this ferry was started without a configuration file",
                hint: "end it (`ferry stop`) and start one that has a file")
        }
        return Assembly(
            configuration: try source.load(mayBeMissing: configuration == source.unwritten), state: state,
            edited: edited, source: source, treatsLoopbackAsRemote: treatsLoopbackAsRemote)
    }

    /// Where uploads go by this configuration.
    ///
    /// - Parameters:
    ///   - earlier: That by which `known` were made. A destination that stays as it is keeps its sign-in.
    ///   - needed: Names of destinations that stay known for now, whatever the configuration says.
    func destinations(
        after earlier: Assembly, _ known: Destinations, keeping needed: Set<String> = []
    ) -> Destinations {
        var new = Destinations(
            [], timeouts: timeouts,
            proxy: configuration.proxy == earlier.configuration.proxy
                ? known.proxy : proxy(configuration.proxy),
            // What the tools of AWS find is no part of the configuration.
            addressCredentials: known.addressCredentials)
        new.named = known.named.filter { needed.contains($0.key) }
        for (name, settings) in configuration.destinations {
            let same = isReached(name, as: earlier) ? known.named[name] : nil
            new.named[name] = same ?? destination(named: name, settings)
        }
        return new
    }

    /// True if nothing that its requests go by has changed.
    private func isReached(_ name: String, as earlier: Assembly) -> Bool {
        guard let new = configuration.destinations[name], var old = earlier.configuration.destinations[name]
        else { return false }
        // The queue's, and no matter of requests.
        old.bandwidth = new.bandwidth
        return old == new && timeouts == earlier.timeouts
            && (new.proxy != nil || configuration.proxy == earlier.configuration.proxy)
    }
}
