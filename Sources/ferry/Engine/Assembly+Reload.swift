import FerryProtocols
import FerryTransfer
import FerryUploads

extension Assembly {
    /// Reads the configuration file again. A missing file at the default path is no error if the current configuration
    /// is the default one.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the file is invalid, cannot be read or was never there.
    func readAgain() throws(UploadFailure) -> Assembly {
        guard let source else {
            throw UploadFailure(
                .permanent, "this engine was started without a configuration file",
                hint: "end it (`ferry stop`) and start one that has a file")
        }
        return replacing(try source.load(mayBeMissing: configuration == source.unwritten))
    }

    /// A copy of this assembly with the new destinations of the configuration file, if that can be read and is valid.
    var withNewDestinations: Assembly {
        guard let read = try? readAgain() else { return self }
        return adding(read.configuration.destinations)
    }

    /// Returns a copy of this assembly that contains `destinations` too. A destination that it already has stays.
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

    /// Returns the destinations of this assembly's configuration. Reuses the destinations in `known`, which `earlier`
    /// made, if their settings are the same, and their credentials if only the settings of those are the same.
    func destinations(after earlier: Assembly, _ known: Destinations) -> Destinations {
        var new = Destinations(
            [], timeouts: timeouts,
            proxy: configuration.proxy == earlier.configuration.proxy
                ? known.proxy : proxy(configuration.proxy),
            // These credentials do not depend on the configuration: they come from AWS's files or the environment.
            addressCredentials: known.addressCredentials)
        for (name, settings) in configuration.destinations {
            if let before = known.named[name], isReached(name, as: earlier) {
                new.named[name] = before
            } else if let before = known.named[name], signsIn(name, as: earlier) {
                new.named[name] = destination(named: name, settings, signIn: before.interceptor)
            } else {
                new.named[name] = destination(named: name, settings)
            }
        }
        return new
    }

    /// Returns true if all settings for requests to the destination are the same in this assembly and in `earlier`.
    private func isReached(_ name: String, as earlier: Assembly) -> Bool {
        guard let new = configuration.destinations[name], var old = earlier.configuration.destinations[name]
        else { return false }
        // The limits belong to the queue, not to requests.
        old.bandwidth = new.bandwidth
        return old == new && timeouts == earlier.timeouts
            && (new.proxy != nil || configuration.proxy == earlier.configuration.proxy)
    }

    /// Returns true if the settings of the destination's credentials are the same in this assembly and in `earlier`. The
    /// interceptor is then reused: it may have the only copy of a token that could not be written to its file.
    private func signsIn(_ name: String, as earlier: Assembly) -> Bool {
        guard let new = configuration.destinations[name], let old = earlier.configuration.destinations[name],
            new.authentication == old.authentication
        else { return false }
        switch new.authentication {
        case .none, .basic, .bearer: return true
        case .s3: return new.url == old.url && new.s3 == old.s3
        case .oauth2:
            return timeouts == earlier.timeouts
                && (new.proxy ?? configuration.proxy) == (old.proxy ?? earlier.configuration.proxy)
        }
    }
}
