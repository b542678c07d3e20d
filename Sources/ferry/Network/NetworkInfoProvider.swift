/// Finds the current network. If the network is unknown, logs the reason, unless the previous call failed for the same
/// reason.
actor NetworkInfoProvider {
    private let network: @Sendable () async -> Result<CurrentNetwork, NetworkManager.Silence>
    private let note: @Sendable (String) -> Void
    private var reported: NetworkManager.Silence?

    init(
        network: @escaping @Sendable () async -> Result<CurrentNetwork, NetworkManager.Silence> = {
            do throws(NetworkManager.Silence) {
                return .success(try await NetworkManager().current())
            } catch {
                return .failure(error)
            }
        }, note: @escaping @Sendable (String) -> Void
    ) {
        self.network = network
        self.note = note
    }

    func current() async -> CurrentNetwork? {
        switch await network() {
        case .success(let network):
            reported = nil
            return network
        case .failure(let silence):
            if reported != silence { note("no network is avoided: \(silence.reason)") }
            reported = silence
            return nil
        }
    }
}
