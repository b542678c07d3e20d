// Example: connections
import Ferry

func makeSession(pins: [SPKIPin], proxy: String, events: LocalPath) throws -> Session {
    var configuration = Session.Configuration()
    configuration.monitors = [try JSONLinesMonitor(appendingTo: events)]  // or LoggingMonitor, MetricsMonitor
    configuration.redirects = Redirector.follow  // to other servers too, without credentials

    var transport = HTTPClientTransport.Configuration()
    transport.tls.pins = pins  // curl's: SPKIPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
    transport.tls.minimumVersion = .tls13
    transport.proxy = .server(try ProxyAddress(proxy), except: NoProxyList("intern.example.org"))
    transport.timeouts.stall = .seconds(10)
    return try Session(configuration, transport: transport)
}
// end
