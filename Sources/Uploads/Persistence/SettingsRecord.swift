import UploadProtocols

extension JSONWriter {
    mutating func settings(_ settings: QueueSettings, unknown: [UInt8]) {
        raw("{\"nextID\":")
        integer(settings.nextID)
        if let limit = settings.bandwidthLimit {
            raw(",\"bandwidthLimit\":")
            integer(limit)
        }
        if let concurrency = settings.concurrency {
            raw(",\"concurrency\":")
            integer(concurrency)
        }
        raw(unknown)
        raw("}")
    }
}

extension JSONCursor {
    mutating func settings() throws(MalformedJSON) -> (settings: QueueSettings, unknown: [UInt8]) {
        var unknown: [UInt8] = []
        var nextID: Int?
        var limit: ByteCount?
        var concurrency: Int?
        var isFirst = true
        try expect("{")
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "nextID": try nextID.fill(integer(), at: position)
            case "bandwidthLimit": try limit.fill(integer(), at: position)
            case "concurrency": try concurrency.fill(integer(), at: position)
            default: try keepMember(key, in: &unknown)
            }
        }
        let settings = QueueSettings(
            bandwidthLimit: limit, concurrency: concurrency, nextID: try require(nextID, "nextID"))
        return (settings, unknown)
    }
}
