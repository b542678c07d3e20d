public import HTTPTypes

extension HTTPField.Name {
    /// The fields of tus 1.0.0.
    public static let tusResumable = named("Tus-Resumable")
    public static let tusVersion = named("Tus-Version")
    public static let tusExtension = named("Tus-Extension")
    public static let tusMaxSize = named("Tus-Max-Size")
    public static let uploadOffset = named("Upload-Offset")
    public static let uploadLength = named("Upload-Length")
    public static let uploadDeferLength = named("Upload-Defer-Length")
    public static let uploadMetadata = named("Upload-Metadata")
    public static let uploadExpires = named("Upload-Expires")
    public static let methodOverride = named("X-HTTP-Method-Override")

    private static func named(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is a valid field name") }
        return name
    }
}
