import FerryFiles

/// The division of a file into chunks for Nextcloud.
struct NextcloudPlan: Hashable, PartPlan {
    /// The chunk sizes that the server accepts, in bytes. The last chunk may be smaller (Nextcloud developer manual,
    /// chunked upload v2).
    static let chunkSizes: ClosedRange<ByteCount> = 5 << 20...5_000_000_000
    /// The chunk size if none is configured.
    static let usualChunkSize: ByteCount = 10 << 20
    /// The limit of chunks. The server allows 10,000, but a list of that length would exceed the response limit.
    static let chunkLimit: ByteCount = 2000

    let size: ByteCount
    let chunkSize: ByteCount

    /// - Parameter wished: The configured chunk size, which the limits may change.
    init(size: ByteCount, wished: ByteCount?) {
        let least = size / Self.chunkLimit + 1
        let chosen = max(wished ?? Self.usualChunkSize, least)
        self.init(
            size: size, chunkSize: min(max(chosen, Self.chunkSizes.lowerBound), Self.chunkSizes.upperBound))
    }

    init(size: ByteCount, chunkSize: ByteCount) {
        self.size = size
        self.chunkSize = max(1, chunkSize)
    }

    /// The number of chunks, which are numbered from 1. It exceeds the limit if the file is too large for the protocol.
    var count: Int { Int(clamping: size / chunkSize + (size % chunkSize == 0 ? 0 : 1)) }
    var isTooLarge: Bool { count > Int(Self.chunkLimit) }
    var numbers: Range<Int> { 1..<count + 1 }

    func range(of number: Int) -> Range<ByteCount> {
        let start = ByteCount(number - 1) * chunkSize
        return start..<min(start + chunkSize, size)
    }

    /// Returns the name of a chunk, from `00001`, so that the order by name is the order of the chunks.
    static func name(_ number: Int) -> String {
        String(repeating: "0", count: max(0, 5 - String(number).count)) + String(number)
    }
}

/// The URLs of a Nextcloud's files and of its unfinished uploads.
struct NextcloudAddress: Hashable, Sendable {
    /// The folder of the user's unfinished uploads: `…/remote.php/dav/uploads/USER/`.
    let uploads: String

    /// Makes the URLs; nil if `url` is not below `…/dav/files/USER/`.
    init?(_ url: String) {
        let plain = UploadAddress.withoutQuery(url)
        guard let mark = plain.firstRange(of: "/dav/files/") else { return nil }
        let user = plain[mark.upperBound...].prefix { $0 != "/" }
        guard !user.isEmpty, plain[mark.upperBound...].contains("/") else { return nil }
        uploads = "\(plain[..<mark.lowerBound])/dav/uploads/\(user)/"
    }

    /// Returns the folder of one upload, the same in each attempt.
    func folder(key: String) -> String { uploads + WebDAVAddress.quoted(key) + "/" }
}
