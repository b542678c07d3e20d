/// The behavior of a `HostileServer` towards one request, from its first byte on.
public struct HostileBehavior: Sendable {
    let run: @Sendable (HostileConnection) throws -> Void

    /// Anything else, in the words of a script.
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

    /// Responds once the head and `bytes` of the content are read. Then closes, or reads the rest and continues with
    /// the connection.
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

    /// Responds early and closes with content unread, so that a reset may overtake the response.
    public static func answerAndReset(_ status: Int, afterBodyBytes bytes: Int = 0) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            try connection.answer(status, keepAlive: false)
            connection.reset()
        }
    }

    /// Sends the client elsewhere. `early` does so before the content is read.
    public static func redirect(_ status: Int, to location: String, early: Bool = false) -> HostileBehavior {
        let headers = [("Location", location)]
        return early
            ? .answerEarly(status, headers: headers, keepAlive: true) : .answer(status, headers: headers)
    }

    /// Reads the head and `bytes` of the content, then resets the connection.
    public static func reset(afterBodyBytes bytes: Int) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            connection.reset()
        }
    }

    /// Resets the connection at the first byte, before anything is read.
    public static var resetAtOnce: HostileBehavior {
        HostileBehavior { $0.reset() }
    }

    /// Reads the head and `bytes` of the content, then closes without a response.
    public static func close(afterBodyBytes bytes: Int) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readHead()
            try connection.readBody(bytes)
            connection.close()
        }
    }

    /// Reads the whole request, then closes without a response.
    public static var closeWithoutAnswer: HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            connection.close()
        }
    }

    /// Responds and keeps the connection, but closes it when the next request begins to arrive.
    public static func answerThenGoStale(_ status: Int, headers: [(String, String)] = []) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.answer(status, headers: headers)
            _ = try connection.waitForRequest()
            connection.close()
        }
    }

    /// Reads the head and `bytes` of the content, then nothing more.
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

    /// Reads the whole request and sends these bytes as a response, then closes.
    public static func raw(_ text: String) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.write(text)
            connection.close()
        }
    }

    /// Header fields without end: `count` of them, or until the client goes away.
    public static func endlessHeaders(count: Int = 1_000_000) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\n")
            let value = String(repeating: "x", count: 80)
            for number in 0..<count { try connection.write("X-Field-\(number): \(value)\r\n") }
            connection.close()
        }
    }

    /// Promises `promised` bytes of content and closes after `sent`.
    public static func truncatedBody(_ status: Int = 200, promised: Int, sent: Int) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            let headers = [("Content-Length", "\(promised)")]
            try connection.answer(status, headers: headers, body: String(repeating: "x", count: sent))
            connection.close()
        }
    }

    /// Responds with `count` bytes of content, or as many as the client takes.
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

    /// Sends `count` interim responses (1xx) after the head, then behaves as `next` with the content.
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

    /// Reads the whole request, waits for the gate, and responds.
    public static func answer(
        _ status: Int, headers: [(String, String)] = [], body: String = "", when gate: Gate
    ) -> HostileBehavior {
        HostileBehavior { connection in
            try connection.readRequest()
            try connection.hold(until: gate)
            try connection.answer(status, headers: headers, body: body)
        }
    }

    /// Reads the head and `bytes` of the content, waits for the gate, and then responds.
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
