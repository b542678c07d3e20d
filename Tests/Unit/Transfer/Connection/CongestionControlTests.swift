#if os(Linux)
    import Foundation
    import Glibc
    import HTTPTypes
    import FerryTestSupport
    import Testing

    @testable import FerryTransfer
    @testable import FerryProtocols

    struct CongestionControlTests {
        /// A congestion control algorithm that this machine allows and does not use by default; nil if there is none.
        private static let other: CongestionControl? = {
            let settings = "/proc/sys/net/ipv4/tcp_"
            let own = try? String(contentsOfFile: settings + "congestion_control", encoding: .utf8)
            let allowed = try? String(
                contentsOfFile: settings + "allowed_congestion_control", encoding: .utf8)
            return (allowed ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
                .first { $0 != own?.trimmingCharacters(in: .whitespacesAndNewlines) }.flatMap {
                    CongestionControl($0)
                }
        }()

        /// The congestion control algorithms of this process's sockets that are connected to `port`.
        private static func algorithms(to port: UInt16) -> [String] {
            (Int32(0)..<4096).compactMap { descriptor in
                var address = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let isFound = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        getpeername(descriptor, $0, &length) == 0
                    }
                }
                guard isFound, UInt16(bigEndian: address.sin_port) == port else { return nil }
                var name = [UInt8](repeating: 0, count: 16)
                length = 16
                guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &length) == 0 else {
                    return nil
                }
                return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
        }

        @Test(.enabled(if: other != nil, "this machine allows no algorithm but its own"))
        func `a connection goes by the algorithm that was chosen`() async throws {
            let chosen = try #require(Self.other)
            let server = try HostileServer([
                HostileBehavior { connection in
                    try connection.readHead()
                    try connection.answer(201)
                }
            ])
            defer { server.stop() }
            let transport = try HTTPClientTransport(
                HTTPClientTransport.Configuration(proxy: .none, congestionControl: chosen))
            let result = await transport.outcome(
                of: TransportRequest(method: .put, url: server.url(), body: .bytes(Array("a".utf8))))
            // The kept connection is still open.
            let found = Self.algorithms(to: server.port)
            await transport.shutdown()
            #expect(result.status == 201)
            #expect(found == [chosen.name])
            #expect(chosen.refusal == nil)
        }

        @Test func `one that the kernel has not got is refused with where to look`() {
            let refusal = CongestionControl("no_such_thing")?.refusal
            #expect(refusal?.contains("net.ipv4.tcp_available_congestion_control") == true)
        }

        @Test(arguments: ["", "BBR", "cubic ", "a\0b", "a_name_of_16_byt", "bbr\n"])
        func `a name that no kernel uses is refused`(name: String) {
            #expect(CongestionControl(name) == nil)
        }
    }
#endif
