/// The behavior of a `HostileServer` towards one request.
public struct HostileBehavior: Sendable {
    let run: @Sendable (HostileConnection) throws -> Void

    /// Runs any script.
    public init(_ run: @escaping @Sendable (HostileConnection) throws -> Void) {
        self.run = run
    }
}

extension HostileBehavior {
    /// Reads the whole request and responds.
    public static func answer(
        _ status: Int, headers: [(String, String)] = [], body: String = "", keepAlive: Bool = true
    ) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.answer(status, headers: headers, body: body, keepAlive: keepAlive)
            if !keepAlive { connection.close() }
        }
    }

    /// Responds after reading the head and `bytes` bytes of the body. Then it closes the connection, or reads the rest
    /// and keeps the connection.
    public static func answerEarly(
        _ status: Int, headers: [(String, String)] = [], body: String = "", afterBodyBytes bytes: Int = 0,
        keepAlive: Bool = false
    ) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            try connection.answer(status, headers: headers, body: body, keepAlive: keepAlive)
            if keepAlive {
                try connection.readBody()
            } else {
                connection.closeSending()
                _ = try? connection.readBody()
                connection.drain()
                connection.close()
            }
        }
    }

    /// Responds early and closes the connection with an unread body. The client may see the reset before the response.
    public static func answerAndReset(_ status: Int, afterBodyBytes bytes: Int = 0) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            try connection.answer(status, keepAlive: false)
            connection.reset()
        }
    }

    /// Redirects the client to `location`. With `early`, the response is sent before the body is read.
    public static func redirect(_ status: Int, to location: String, early: Bool = false) -> HostileBehavior {
        let headers = [("Location", location)]
        return early
            ? .answerEarly(status, headers: headers, keepAlive: true) : .answer(status, headers: headers)
    }

    /// Reads the head and `bytes` bytes of the body, then resets the connection.
    public static func reset(afterBodyBytes bytes: Int) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            connection.reset()
        }
    }

    /// Resets the connection at the first byte, without reading.
    public static var resetAtOnce: HostileBehavior {
        HostileBehavior { $0.reset() }
    }

    /// Reads the head and `bytes` bytes of the body, then closes the connection without a response.
    public static func close(afterBodyBytes bytes: Int) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            connection.close()
        }
    }

    /// Reads the whole request, then closes the connection without a response.
    public static var closeWithoutAnswer: HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            connection.close()
        }
    }

    /// Responds and keeps the connection, but closes it when the next request arrives.
    public static func answerThenGoStale(_ status: Int, headers: [(String, String)] = []) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.answer(status, headers: headers)
            _ = try connection.waitForRequest()
            connection.close()
        }
    }

    /// Reads the head and `bytes` bytes of the body, then does nothing until the server stops.
    public static func stall(afterBodyBytes bytes: Int) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            connection.stall()
        }
    }

    /// Reads the whole request and never responds.
    public static var neverAnswer: HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            connection.stall()
        }
    }

    /// Reads the whole request, sends `text` as the response and closes the connection.
    public static func raw(_ text: String) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.write(text)
            connection.close()
        }
    }

    /// Sends a response head with `count` header fields, or until the client closes the connection.
    public static func endlessHeaders(count: Int = 1_000_000) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\n")
            let value = String(repeating: "x", count: 80)
            for number in 0..<count { try connection.write("X-Field-\(number): \(value)\r\n") }
            connection.close()
        }
    }

    /// Sends a `Content-Length` of `promised`, but closes the connection after `sent` bytes of the body.
    public static func truncatedBody(_ status: Int = 200, promised: Int, sent: Int) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            let headers = [("Content-Length", "\(promised)")]
            try connection.answer(status, headers: headers, body: String(repeating: "x", count: sent))
            connection.close()
        }
    }

    /// Responds with a body of `count` bytes, or as many as the client reads.
    public static func hugeBody(_ status: Int = 200, count: Int) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.answer(status, headers: [("Content-Length", "\(count)")])
            let block = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
            var left = count
            while left > 0 {
                try connection.write(left < block.count ? Array(block.prefix(left)) : block)
                left -= block.count
            }
        }
    }

    /// Sends `count` interim responses (1xx) after the head, then behaves as `next`.
    public static func interim(
        _ status: Int = 102, headers: [(String, String)] = [], count: Int, then final: Int = 200
    ) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            for _ in 0..<count { try connection.answer(status, headers: headers) }
            try connection.readBody()
            try connection.answer(final)
        }
    }

    /// Reads the whole request, waits for the gate, then responds.
    public static func answer(
        _ status: Int, headers: [(String, String)] = [], body: String = "", when gate: Gate
    ) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.hold(until: gate)
            try connection.answer(status, headers: headers, body: body)
        }
    }

    /// Reads the head and `bytes` bytes of the body, waits for the gate, then responds.
    public static func pauseReading(
        afterBodyBytes bytes: Int, until gate: Gate, then status: Int, headers: [(String, String)] = []
    ) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            try connection.hold(until: gate)
            try connection.readBody()
            try connection.answer(status, headers: headers)
        }
    }
}
