import FerryFiles

/// The JSON document that describes the file in the request to create an upload session.
enum GoogleMetadata {
    /// Returns the JSON document. It contains the name only if the URL does not determine it. In Cloud Storage, the
    /// parameters of the upload become custom metadata of the object. In other services, they become members of the
    /// document, such as Drive's `parents` and `description`. Values of the same name are joined by a comma in Cloud
    /// Storage, and become a list elsewhere.
    static func encoded(_ item: UploadItem, name: String, at address: GoogleAddress) -> [UInt8] {
        var object: [String: JSONValue] = [:]
        if !address.tellsName { object["name"] = .text(name) }
        if address.isCloudStorage {
            object["contentType"] = .text(item.contentType)
            let members = Dictionary(item.parameters.map { ($0.name, $0.value) }) { "\($0),\($1)" }
            if !members.isEmpty { object["metadata"] = .object(members.mapValues { .text($0) }) }
        } else {
            object["mimeType"] = .text(item.contentType)
            object["modifiedTime"] = item.modified.map { .text($0.formatted(.iso8601)) }
            for (name, same) in Dictionary(grouping: item.parameters, by: \.name) {
                let isList = same.count > 1 || lists.contains(name)
                object[name] =
                    isList ? .array(same.map { .text($0.value) }) : same.first.map { .text($0.value) }
            }
        }
        return JSONValue.object(object).bytes
    }

    /// The names of the JSON members that Drive accepts only as lists.
    private static let lists: Set<String> = ["parents"]
}
