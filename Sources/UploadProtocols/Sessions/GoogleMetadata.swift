import FerryFiles

/// The JSON that creates an object: its name, its type and the user's metadata.
enum GoogleMetadata {
    private enum Value: Encodable {
        case text(String)
        case list([String])
        case members([String: String])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .list(let list): try container.encode(list)
            case .members(let members): try container.encode(members)
            }
        }
    }

    /// Encodes the metadata. Parameters become custom metadata in Cloud Storage, and members of the object in other
    /// services, such as Drive's `parents` and `description`.
    static func encoded(
        _ item: UploadItem, name: String, at address: GoogleAddress
    ) -> Result<[UInt8], UploadFailure> {
        var object: [String: Value] = [:]
        if !address.tellsName { object["name"] = .text(name) }
        if address.isCloudStorage {
            object["contentType"] = .text(item.contentType)
            let members = Dictionary(item.parameters.map { ($0.name, $0.value) }) { "\($0),\($1)" }
            if !members.isEmpty { object["metadata"] = .members(members) }
        } else {
            object["mimeType"] = .text(item.contentType)
            object["modifiedTime"] = item.modified.map { .text($0.formatted(.iso8601)) }
            for (name, same) in Dictionary(grouping: item.parameters, by: \.name) {
                let isList = same.count > 1 || lists.contains(name)
                object[name] = isList ? .list(same.map(\.value)) : same.first.map { .text($0.value) }
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(object) else {
            return .failure(UploadFailure(.permanent, "the parameters cannot be written as JSON"))
        }
        return .success(Array(data))
    }

    /// The members that Drive accepts only as lists.
    private static let lists: Set<String> = ["parents"]
}
