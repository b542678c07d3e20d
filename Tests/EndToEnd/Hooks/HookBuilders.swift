import FerryUploads
import Foundation

extension UploadEvent {
    static func ended(_ kind: Kind, _ upload: Upload) -> UploadEvent {
        UploadEvent(kind, upload, date: Date(timeIntervalSince1970: 0))
    }
}
