import FerryFiles
import FerryProtocols
import FerryTransfer
import FerryUploads

/// The changes that an edited configuration makes in what runs.
extension Assembly {
    /// The same with the configuration as it is now.
    ///
    /// - Throws: `UploadFailure` (`permanent`) that names the file, the key and what is expected there.
    func readAgain() throws(UploadFailure) -> Assembly {
        guard let source else {
            throw UploadFailure(
                .permanent, "this engine was started without a configuration file",
                hint: "end it (`ferry stop`) and start one that has a file")
        }
        return replacing(try source.load(mayBeMissing: configuration == source.unwritten))
    }

    /// The same with those destinations of the file that are new. What else is different there, or wrong, does not
    /// matter.
    var withNewDestinations: Assembly {
        guard let read = try? readAgain() else { return self }
        return adding(read.configuration.destinations)
    }

    /// The same with these destinations too; one that it has already stays as it is.
    func adding(_ destinations: [String: DestinationSettings]) -> Assembly {
        var new = configuration
        new.destinations.merge(destinations) { known, _ in known }
        return replacing(new)
    }

    private func replacing(_ configuration: Configuration) -> Assembly {
        Assembly(
            configuration: configuration, state: state, edited: edited, source: source,
            treatsLoopbackAsRemote: treatsLoopbackAsRemote)
    }

    /// Returns the destinations of this configuration.
    ///
    /// - Parameter earlier: The assembly that made `known`.
    func destinations(after earlier: Assembly, _ known: Destinations) -> Destinations {
        var new = Destinations(
            [], timeouts: timeouts,
            proxy: configuration.proxy == earlier.configuration.proxy
                ? known.proxy : proxy(configuration.proxy),
            // What the tools of AWS find is no part of the configuration.
            addressCredentials: known.addressCredentials)
        for (name, settings) in configuration.destinations {
            guard let before = known.named[name] else {
                new.named[name] = destination(named: name, settings)
                continue
            }
            if isReached(name, as: earlier) {
                new.named[name] = before
            } else if signsIn(name, as: earlier) {
                new.named[name] = destination(named: name, settings, signIn: before.interceptor)
            } else {
                new.named[name] = destination(named: name, settings)
            }
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

    /// True if nothing that its sign-in goes by has changed. It may hold the only copy of a token that could not be
    /// written to its file.
    private func signsIn(_ name: String, as earlier: Assembly) -> Bool {
        guard let new = configuration.destinations[name], let old = earlier.configuration.destinations[name],
            new.authentication == old.authentication
        else { return false }
        switch new.authentication {
        case .none, .basic, .bearer: return true
        case .s3: return new.url == old.url && new.s3 == old.s3
        case .oauth2:
            let (proxy, before) = (
                new.proxy ?? configuration.proxy, old.proxy ?? earlier.configuration.proxy
            )
            return timeouts == earlier.timeouts && proxy == before
        }
    }
}
