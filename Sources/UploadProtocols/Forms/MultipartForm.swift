/// A multipart/form-data body with one file: the bytes before and after the file's. Each other form field is a part
/// before the file, in the given order, because streaming receivers and S3 policies need them there.
package struct MultipartForm: Hashable, Sendable {
    /// The value of the request's `Content-Type`, with the boundary.
    package let contentType: String
    /// The body before the file's bytes: one part for each parameter, the boundary, and the header of the file's part.
    package let prefix: [UInt8]
    /// The body after the file's bytes: the closing delimiter.
    package let suffix: [UInt8]

    /// - Parameter boundary: Unless it is random, the caller must search the file for it.
    package init(
        boundary: MultipartBoundary, parameters: [UploadItem.Parameter], fileField: String, fileName: String,
        fileType: String
    ) {
        var prefix: [UInt8] = []
        for parameter in parameters {
            prefix += boundary.opening(MultipartHeader(name: parameter.name), isFirst: prefix.isEmpty)
            prefix += parameter.value.utf8
        }
        let file = MultipartHeader(name: fileField, fileName: fileName, contentType: fileType)
        prefix += boundary.opening(file, isFirst: prefix.isEmpty)
        self.prefix = prefix
        suffix = boundary.closing(isEmpty: false)
        contentType = boundary.contentType
    }
}
