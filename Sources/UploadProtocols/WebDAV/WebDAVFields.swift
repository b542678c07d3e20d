public import HTTPTypes

extension HTTPField.Name {
    /// The features that a server offers beyond HTTP (RFC 4918 §10.1).
    public static let dav = named("DAV")
    /// The number of folder levels to which the request applies: `0`, `1` or `infinity` (RFC 4918 §10.2).
    public static let depth = named("Depth")
    /// The target of a `MOVE`, as an absolute URL (RFC 4918 §10.3).
    public static let destination = named("Destination")
    /// The permission for a `MOVE` to replace an existing file: `T` for yes, `F` for no (RFC 4918 §10.6).
    public static let overwrite = named("Overwrite")
    /// The time of the local file's last change, in seconds since 1970. ownCloud and Nextcloud store it.
    public static let ocMtime = named("X-OC-Mtime")
    /// The number of bytes of the whole file, in the requests of a chunked upload (Nextcloud).
    public static let ocTotalLength = named("OC-Total-Length")
    /// The bytes of the file that a `PATCH` writes (SabreDAV's partial update).
    public static let updateRange = named("X-Update-Range")
}

extension HTTPRequest.Method {
    private static func dav(_ name: String) -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(name) else { preconditionFailure("\(name) is not a method") }
        return method
    }

    /// The method that requests the properties of files and folders (RFC 4918 §9.1).
    static let propfind = dav("PROPFIND")
    /// The method that makes a folder (RFC 4918 §9.3).
    static let mkcol = dav("MKCOL")
    /// The method that moves a file (RFC 4918 §9.9).
    static let move = dav("MOVE")
}
