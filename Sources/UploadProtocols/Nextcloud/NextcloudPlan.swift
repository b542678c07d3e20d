import FerryFiles

struct NextcloudPlan: Hashable, PartPlan {
    /// The accepted chunk sizes in bytes, except for the last chunk (developer manual, chunked upload v2).
    static let chunkSizes: ClosedRange<ByteCount> = 5 << 20...5_000_000_000
    static let usualChunkSize: ByteCount = 10 << 20
    /// The maximum number of chunks. The server allows 10,000, but Ferry does not read so long a list of them.
    static let chunkLimit: ByteCount = 2000

    let size: ByteCount
    let chunkSize: ByteCount

    /// - Parameter wished: The configured chunk size, which is raised for `chunkLimit` and moved into `chunkSizes`.
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

    var count: Int { Int(clamping: size / chunkSize + (size % chunkSize == 0 ? 0 : 1)) }
    var isTooLarge: Bool { count > Int(Self.chunkLimit) }
    var numbers: Range<Int> { 1..<count + 1 }

    func range(of number: Int) -> Range<ByteCount> {
        let start = ByteCount(number - 1) * chunkSize
        return start..<min(start + chunkSize, size)
    }

    /// Returns the name of a chunk, such as `00001`. Sorted by name, the chunks are in the order of the file.
    static func name(_ number: Int) -> String { "\(number)".zeroPadded(to: 5) }
}

struct NextcloudAddress: Hashable, Sendable {
    /// The URL of the folder for the user's unfinished uploads: `…/remote.php/dav/uploads/USER/`.
    let uploads: String

    /// Finds the user in the URL of a destination; nil if `url` does not contain `/dav/files/USER/`.
    init?(_ url: String) {
        let plain = UploadAddress.withoutQuery(url)
        guard let mark = plain.firstRange(of: "/dav/files/") else { return nil }
        let user = plain[mark.upperBound...].prefix { $0 != "/" }
        guard !user.isEmpty, plain[mark.upperBound...].contains("/") else { return nil }
        uploads = "\(plain[..<mark.lowerBound])/dav/uploads/\(user)/"
    }

    /// Returns the URL of the folder for the upload with this key, the same in every attempt.
    func folder(key: String) -> String { uploads + WebDAVAddress.quoted(key) + "/" }
}
