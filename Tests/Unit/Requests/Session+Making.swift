import FerryRequests
import FerryTransfer

extension Session {
    /// Makes a session that accepts every response.
    static func making(
        _ transport: any Transport, adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        validation: ResponseValidation = .unchecked, monitors: [any EventMonitor] = [],
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Session {
        Session(
            Configuration(
                interceptor: Interceptor(adapters: adapters, retriers: retriers), validation: validation,
                monitors: monitors, clock: clock),
            transport: transport)
    }
}
