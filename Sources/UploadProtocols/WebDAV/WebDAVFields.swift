public import HTTPTypes

extension HTTPField.Name {
    /// The features that a server offers beyond HTTP (RFC 4918 §10.1).
    public static let dav = named("DAV")
    /// The depth below the URL that a request reaches: `0`, `1` or `infinity` (RFC 4918 §10.2).
    public static let depth = named("Depth")
    /// The target of a `MOVE`, as an absolute URL (RFC 4918 §10.3).
    public static let destination = named("Destination")
    /// The value `F` if a `MOVE` must not replace a file (RFC 4918 §10.6).
    public static let overwrite = named("Overwrite")
    /// The time of the file's last change, in seconds since 1970 (ownCloud and Nextcloud).
    public static let ocMtime = named("X-OC-Mtime")
    /// The number of bytes of the whole file, in the requests of a chunked upload (Nextcloud).
    public static let ocTotalLength = named("OC-Total-Length")
    /// The range of the bytes of a `PATCH` (SabreDAV's partial update).
    public static let updateRange = named("X-Update-Range")
}

extension HTTPRequest.Method {
    /// Returns the HTTP method for a name in Ferry's own source. Traps if `name` is not a token.
    private static func dav(_ name: String) -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(name) else { preconditionFailure("\(name) is no method") }
        return method
    }

    /// The method that reads properties (RFC 4918 §9.1).
    static let propfind = dav("PROPFIND")
    /// The method that makes a folder (RFC 4918 §9.3).
    static let mkcol = dav("MKCOL")
    /// The method that moves a file (RFC 4918 §9.9).
    static let move = dav("MOVE")
}
