import FerryTestSupport

extension HostileConnection {
    /// Answers a PROPFIND (RFC 4918 §9.1) with the properties of one file.
    ///
    /// - Parameter properties: The elements of `prop`, with the prefix `d`.
    func answer(properties: String, of target: String) throws {
        try answer(
            207, headers: [("Content-Type", "application/xml")],
            body: """
                <d:multistatus xmlns:d="DAV:"><d:response><d:href>\(target)</d:href><d:propstat>\
                <d:prop>\(properties)</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>\
                </d:multistatus>
                """)
    }
}
