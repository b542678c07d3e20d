#if os(Linux)
    import Foundation
    import Glibc
    import FerryTestSupport
    import Synchronization

    /// A DNS server on 127.0.0.1:53 of the network namespace in which it is made. The test decides its responses.
    final class NameServer: Sendable {
        struct Failure: Error {
            var call: String
        }

        /// The response to every question.
        enum Response: Sendable {
            case nameNotFound
            case serverFailure
            case silence
            /// The host has the loopback addresses.
            case loopback
        }

        private struct State {
            var answer: Response
            var questions: [String: Int] = [:]
            var lastAnswer: ContinuousClock.Instant?
        }

        private let state: Mutex<State>
        private let socket: Int32
        private let ended = Gate()
        /// The hosts that are found independently of `Response`.
        private let known: Set<String>

        init(_ answer: Response, alwaysKnowing known: Set<String> = []) throws {
            state = Mutex(State(answer: answer))
            self.known = known
            socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard socket >= 0 else { throw Failure(call: "socket") }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(53).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let bound = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard bound == 0 else {
                close(socket)
                throw Failure(call: "bind")
            }
            Thread.detachNewThread { self.serve() }
        }

        /// Stops the server, and returns when its thread has ended.
        func stop() {
            shutdown(socket, Int32(SHUT_RDWR))
            ended.block()
        }

        func say(_ answer: Response) { state.withLock { $0.answer = answer } }

        /// Returns the number of questions about a host.
        func questions(for host: String) -> Int { state.withLock { $0.questions[host] ?? 0 } }

        /// The time of the last response with an address; nil if there was none.
        var lastAnswer: ContinuousClock.Instant? { state.withLock { $0.lastAnswer } }

        private func serve() {
            var buffer = [UInt8](repeating: 0, count: 1500)
            while true {
                var sender = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = withUnsafeMutablePointer(to: &sender) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(socket, &buffer, buffer.count, 0, $0, &size)
                    }
                }
                // A receive call on a socket that was shut down returns no bytes.
                guard count > 0 else { break }
                guard let reply = reply(to: Array(buffer[..<count])) else { continue }
                _ = withUnsafePointer(to: sender) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        sendto(socket, reply, reply.count, 0, $0, size)
                    }
                }
            }
            close(socket)
            ended.open()
        }

        /// Returns the response to a question (RFC 1035 §4.1); nil for none.
        private func reply(to question: [UInt8]) -> [UInt8]? {
            var labels: [String] = []
            var place = 12
            while place < question.count, question[place] > 0 {
                let end = place + 1 + Int(question[place])
                guard end < question.count else { return nil }
                labels.append(String(decoding: question[(place + 1)..<end], as: UTF8.self))
                place = end
            }
            guard place + 5 <= question.count else { return nil }
            let host = labels.joined(separator: ".").lowercased()
            let isIPv6 = question[place + 2] == 28
            let answer: Response = state.withLock { state in
                state.questions[host, default: 0] += 1
                return known.contains(host) ? .loopback : state.answer
            }
            let asked = Array(question[12..<(place + 5)])
            func head(_ code: UInt8, answers: UInt8) -> [UInt8] {
                question[..<2] + [0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0]
            }
            switch answer {
            case .silence: return nil
            case .nameNotFound: return head(3, answers: 0) + asked
            case .serverFailure: return head(2, answers: 0) + asked
            case .loopback:
                state.withLock { $0.lastAnswer = .now }
                let address: [UInt8] =
                    isIPv6 ? Array(repeating: 0, count: 15) + [1] : [127, 0, 0, 1]
                // The record's name is a reference to the question's. Its TTL is 0, so that no cache keeps it.
                let record: [UInt8] =
                    [0xC0, 12, 0, isIPv6 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, UInt8(address.count)] + address
                return head(0, answers: 1) + asked + record
            }
        }
    }
#endif
