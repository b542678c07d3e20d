/// The media type of a file by its name's extension; `application/octet-stream` where there is no telling.
public enum MediaType {
    public static let unknown = "application/octet-stream"

    public static func ofFile(named name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return unknown }
        return byExtension[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    /// Types registered with IANA for the extensions people upload most.
    private static let byExtension: [String: String] = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "avi": "video/x-msvideo",
        "avif": "image/avif",
        "bin": unknown, "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css",
        "csv": "text/csv",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
        "heic": "image/heic", "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon",
        "ics": "text/calendar", "iso": unknown, "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript",
        "json": "application/json", "jsonl": "application/jsonl", "jxl": "image/jxl", "log": "text/plain",
        "m4a": "audio/mp4", "m4v": "video/mp4", "md": "text/markdown", "mjs": "text/javascript",
        "mkv": "video/matroska", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "mpeg": "video/mpeg", "mpg": "video/mpeg", "mxf": "application/mxf",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet",
        "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf",
        "parquet": "application/vnd.apache.parquet", "pdf": "application/pdf", "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "ps": "application/postscript", "rar": "application/vnd.rar", "rtf": "application/rtf",
        "sql": "application/sql", "svg": "image/svg+xml", "tar": "application/x-tar",
        "tgz": "application/gzip",
        "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml", "ts": "video/mp2t",
        "ttf": "font/ttf", "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/wav",
        "weba": "audio/webm", "webm": "video/webm", "webp": "image/webp", "woff": "font/woff",
        "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "xz": "application/x-xz", "yaml": "application/yaml", "yml": "application/yaml",
        "zip": "application/zip",
        "zst": "application/zstd",
    ]
}
