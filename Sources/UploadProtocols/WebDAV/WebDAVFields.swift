public import HTTPTypes

extension HTTPField.Name {
    /// The features that a server offers beyond HTTP (RFC 4918 §10.1).
    public static let dav = named("DAV")
    /// The depth below the address that a request reaches: `0`, `1` or `infinity` (RFC 4918 §10.2).
    public static let depth = named("Depth")
    /// The target of a `MOVE`, as an absolute address (RFC 4918 §10.3).
    public static let destination = named("Destination")
    /// `F` if nothing may be in the place a `MOVE` goes to (RFC 4918 §10.6).
    public static let overwrite = named("Overwrite")
    /// The time of the file's last change, in seconds since 1970 (ownCloud and Nextcloud).
    public static let ocMtime = named("X-OC-Mtime")
    /// Bytes of the whole file, in the requests of a chunked upload (Nextcloud).
    public static let ocTotalLength = named("OC-Total-Length")
    /// The range of the bytes of a `PATCH` (SabreDAV's partial update).
    public static let updateRange = named("X-Update-Range")
}

extension HTTPRequest.Method {
    /// A method of WebDAV that stands in our own source.
    private static func dav(_ name: String) -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(name) else { preconditionFailure("\(name) is no method") }
        return method
    }

    /// RFC 4918 §9.1.
    static let propfind = dav("PROPFIND")
    /// RFC 4918 §9.3.
    static let mkcol = dav("MKCOL")
    /// RFC 4918 §9.9.
    static let move = dav("MOVE")
}
