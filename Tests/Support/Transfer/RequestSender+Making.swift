package import FerryTransfer
package import HTTPTypes

extension RequestSender {
    /// Makes a sender with these adapters and retriers.
    package static func making(
        _ transport: any Transport, headers: HTTPFields = [:], adapters: [any RequestAdapter] = [],
        retriers: [any RequestRetrier] = []
    ) -> RequestSender {
        RequestSender(
            over: transport, headers: headers,
            interceptor: Interceptor(adapters: adapters, retriers: retriers))
    }
}
