import FerryFiles
import HTTPTypes

/// The steps that write the file's bytes under the temporary name.
extension WebDAVUpload {
    /// The maximum number of bytes in the first `PATCH` of SabreDAV's partial update. Some web servers pass a request
    /// to PHP only when it is complete, so a broken connection loses all its bytes.
    private static let firstPart: ByteCount = 1 << 20
    /// The maximum number of bytes in any later `PATCH`, up to which each success doubles the size.
    private static let largestPart: ByteCount = 16 << 20

    /// The maximum number of bytes in one request: the lowest of all limits; nil for none.
    private var chunk: ByteCount? {
        let part = server.ranges == .patch ? resource?.appends.learntChunk ?? Self.firstPart : nil
        return [options.chunkSize, server.largestRequest, part].compactMap { $0 }.min()
    }

    /// True if the file is too large for one request, and the server does not offer SabreDAV's partial update. Parts
    /// are then sent by `PUT` with `Content-Range`, which some servers join incorrectly.
    private var isInRanges: Bool { (chunk.map { $0 < item.size } ?? false) && server.ranges != .patch }

    /// True if the upload can continue after the `size` bytes that the server has stored under the temporary name.
    ///
    /// The full size is usable, unless it was sent by `PUT` with `Content-Range` (`isInRanges`) and possibly has gaps.
    /// Even then it is, if such parts have worked on this server, or if an earlier attempt possibly sent the `MOVE`.
    ///
    /// Fewer bytes are usable with `PATCH`, and with `isInRanges`, unless the server has refused parts. A lookup of the
    /// stored size follows the next part, if it is unknown whether the server joins them.
    private func canUse(_ size: ByteCount) -> Bool {
        if size == item.size { return mayBeMoved || !isInRanges || server.ranges == .put }
        guard size < item.size else { return false }
        return server.ranges == .patch || isInRanges && server.ranges != .refused
    }

    mutating func foundTemporary(_ place: FoundEntry) -> Step {
        newVersion = place.version ?? newVersion
        resource?.webDAV.refusedLooks = 0
        held = place == .nothing ? nil : 0
        switch place {
        case .folder:
            return .failed(.permanent, "a folder is where the file was to be kept until it is whole")
        case .nothing where resource?.webDAV.nextURL != nil: return followTrial()
        case .nothing where mayBeMoved: return look(at: address(of: movedName), for: .result(isOurs: false))
        case .nothing: break
        case .file(let file):
            let size = file.size ?? 0
            if canUse(size) { held = size }
            // The last attempt broke within a part, so the next parts are smaller.
            if server.ranges == .patch, let part = resource?.appends.learntChunk {
                resource?.appends.learntChunk = ChunkSizePolicy.afterBreak(part)
            }
        }
        noteResource(confirmed: held ?? 0)
        return choose()
    }

    /// Looks for the missing temporary file at the target of a trial `MOVE` (see `tryMove`) without a response.
    private mutating func followTrial() -> Step {
        let next = resource?.webDAV.nextURL ?? temporary.url
        resource?.url = next
        resource?.webDAV.nextURL = nil
        noteResource(confirmed: resource?.confirmed ?? 0)
        return look(at: temporary, for: .temporary)
    }

    /// The number of failed lookups of the temporary file in a row before another name is used.
    private static let refusedLooks = 2

    /// Handles status 423 or 500 in the lookup of the temporary file. rclone 1.60 sends such a status for up to an
    /// hour, while it waits for the rest of a broken request. The first time, the attempt fails. The second time in a
    /// row, the upload starts again under another temporary name, or fails if a `MOVE` was possibly sent.
    mutating func refusedTemporary(_ failure: UploadFailure) -> Step {
        guard var refused = resource else { return .failed(failure) }
        refused.webDAV.refusedLooks += 1
        let isFinal = refused.webDAV.refusedLooks >= Self.refusedLooks && !mayBeMoved
        if isFinal {
            let abandoned = refused.webDAV.abandonedURL ?? refused.url
            refused = UploadResource(url: WebDAVAddress(refused.url).nextTemporary.url)
            refused.webDAV.abandonedURL = abandoned
            held = nil
        }
        resource = refused
        note(.resource(refused))
        return isFinal ? choose() : .failed(failure)
    }

    private var movedName: String { resource?.webDAV.movedName ?? item.name }

    mutating func foundFolder(_ place: FoundEntry) -> Step {
        knowsFolder = true
        guard place == .nothing, let folders = WebDAVFolders(of: finalAddress) else { return write(from: 0) }
        phase = .making(folders)
        return folders.start()
    }

    mutating func receiveFolder(_ response: ExchangeOutcome.Response, _ folders: WebDAVFolders) -> Step {
        var folders = folders
        let step = folders.receive(response)
        phase = .making(folders)
        return step ?? write(from: 0)
    }

    mutating func write(from offset: ByteCount) -> Step {
        let chunk = WebDAVChunk(after: offset, of: item.size, chunk: chunk, ranges: server.ranges)
        let address = temporary
        var exchange = chunk.exchange(to: address.url, of: item.size)
        if chunk.manner == .whole {
            exchange.fields[.contentType] = item.contentType
            if server.isOwnCloud, let modified = item.modified {
                exchange.fields[.ocMtime] = "\(Int64(modified.timeIntervalSince1970))"
            }
        }
        exchange.set(.completes, if: chunk.range.upperBound == item.size)
        if resource == nil { resource = UploadResource(url: address.url) }
        noteResource(confirmed: offset)
        phase = .writing(chunk)
        return .send(exchange)
    }

    mutating func receiveWritten(_ response: ExchangeOutcome.Response, _ chunk: WebDAVChunk) -> Step {
        switch response.status {
        case 200..<300:
            held = held ?? 0
            let end = chunk.range.upperBound
            let isProof = chunk.manner == .contentRange && server.ranges == nil
            if end == item.size || isProof { return look(at: temporary, for: .written(chunk)) }
            held = end
            if chunk.manner == .partialUpdate {
                let larger = ChunkSizePolicy.afterSuccess(resource?.appends.learntChunk ?? Self.firstPart)
                resource?.appends.learntChunk = min(Self.largestPart, larger)
            }
            noteResource(confirmed: end)
            return write(from: end)
        // chezdav 3.0 responds 500 if the folder is missing.
        case 500 where chunk.manner == .whole && !knowsFolder && WebDAVFolders(of: finalAddress) != nil:
            return foundFolder(.nothing)
        case 413: return tooLarge(response, chunk)
        case 404, 409:
            guard chunk.manner == .whole else { return writeAnew(after: chunk) }
            guard !knowsFolder else { return .failed(WebDAVFailure.failure(response)) }
            return foundFolder(.nothing)
        case _ where chunk.manner == .whole: return refusedWhole(response)
        case 400, 403, 405, 411, 415, 416, 422, 501, 505: return writeAnew(after: chunk)
        default: return .failed(WebDAVFailure.failure(response))
        }
    }

    /// Handles the refusal of a plain `PUT`. If the folder is missing, some servers respond 403, 405 or 412 instead of
    /// 409 (RFC 4918 §9.7.1). So after a permanent refusal, the folder is looked up, once in an attempt.
    private mutating func refusedWhole(_ response: ExchangeOutcome.Response) -> Step {
        let failure = WebDAVFailure.failure(response)
        guard failure.category == .permanent, !knowsFolder, WebDAVFolders(of: finalAddress) != nil else {
            return .failed(failure)
        }
        knowsFolder = true
        return look(at: WebDAVAddress(finalAddress.folderURL), for: .refusedFolder(failure))
    }

    /// Handles status 413 (request too large) by sending a smaller part of the file: Apache's LimitRequestBody and
    /// nginx's client_max_body_size limit one request, not the file. Fails if no smaller part is possible.
    private mutating func tooLarge(_ response: ExchangeOutcome.Response, _ chunk: WebDAVChunk) -> Step {
        let failure = WebDAVFailure.failure(response).naming(item.size)
        guard !failure.isTransient else { return .failed(failure) }
        let refusesParts = server.ranges == .refused
        guard !refusesParts,
            let limit = ChunkSizePolicy.below(chunk.range.upperBound - chunk.range.lowerBound)
        else {
            let failure = WebDAVFailure.requestTooLarge(response, size: item.size, refusesParts: refusesParts)
            // Without parts the upload cannot continue after the bytes of the refused ones, so they are deleted.
            return refusesParts && held != nil ? clear(.failed(failure)) : .failed(failure)
        }
        server.largestRequest = limit
        noteServer()
        return write(from: chunk.range.lowerBound)
    }

    /// Handles the lookup of the temporary file after a request sent `chunk`. If bytes are missing, the attempt fails
    /// after a plain `PUT`. After any other request, the whole file is sent again in one `PUT`. `place` is nil if the
    /// server refused the lookup; only a plain `PUT` then counts as complete.
    mutating func measured(_ place: FoundEntry?, _ chunk: WebDAVChunk) -> Step {
        let end = chunk.range.upperBound
        let size: ByteCount?
        newVersion = place?.version
        switch place {
        case .file(let file): size = file.size
        case .nothing: size = 0
        case .folder, nil: size = nil
        }
        // With an unknown size, a 2xx proves a whole file, but not a part, which may be at a wrong position.
        guard size == end || size == nil && chunk.manner == .whole else {
            if chunk.manner != .whole { return writeAnew(after: chunk) }
            held = 0
            noteResource(confirmed: 0)
            return .failed(SingleRequestUpload.wrongSize(size ?? 0, of: item.size, .server))
        }
        if chunk.manner == .contentRange, server.ranges == nil {
            server.ranges = .put
            noteServer()
        }
        held = end
        noteResource(confirmed: end)
        return end == item.size ? moveToFinalName() : write(from: end)
    }

    /// Records that this server writes no parts, and sends the whole file in one `PUT`, a limited number of times.
    private mutating func writeAnew(after chunk: WebDAVChunk) -> Step {
        guard budget.allows(.restart) else { return .failed(.server, "the server loses what it was sent") }
        server.ranges = .refused
        noteServer()
        held = 0
        // The server has not lost confirmed bytes: it does not support the parts.
        resource?.confirmed = 0
        return write(from: 0)
    }
}
