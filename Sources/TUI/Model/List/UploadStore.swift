import FerryUploads

/// The uploads by their id. The array of a complete update is stored without a copy if no id is repeated.
struct UploadStore: Sendable {
    private(set) var all: [Upload] = []
    private var indices: [Upload.ID: Int] = [:]

    init() {}

    init(_ uploads: [Upload]) {
        all = uploads
        indices.reserveCapacity(uploads.count)
        for index in uploads.indices { indices[uploads[index].id] = index }
        guard indices.count < uploads.count else { return }
        self = UploadStore()
        for upload in uploads { put(upload) }
    }

    subscript(id: Upload.ID) -> Upload? { indices[id].map { all[$0] } }

    mutating func put(_ upload: Upload) {
        if let index = indices[upload.id] {
            all[index] = upload
        } else {
            indices[upload.id] = all.count
            all.append(upload)
        }
    }

    mutating func remove(_ id: Upload.ID) {
        guard let index = indices.removeValue(forKey: id) else { return }
        // The last upload moves to the free index, and no other moves.
        let last = all.removeLast()
        guard last.id != id else { return }
        all[index] = last
        indices[last.id] = index
    }
}
