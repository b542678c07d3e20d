import FerryFiles
import HTTPTypes

/// The bytes, under the temporary name.
extension WebDAVUpload {
    /// The first part of a partial update, in bytes, and the largest: PHP behind a server that buffers requests keeps
    /// nothing of one that breaks.
    private static let firstPart: ByteCount = 1 << 20
    private static let largestPart: ByteCount = 16 << 20

    /// The most bytes of one request: as the settings say, as the server was found to take, and, for a partial update,
    /// as much as may be lost with it. nil for any number.
    private var chunk: ByteCount? {
        let part = server.ranges == .patch ? resource?.appends.learntChunk ?? Self.firstPart : nil
        return [options.chunkSize, server.largestRequest, part].compactMap { $0 }.min()
    }

    /// Whether a file of this size goes in parts that are not sure to be put together.
    private var isInRanges: Bool {
        (chunk.map { $0 < item.size } ?? false) && server.ranges != .patch
    }

    /// Whether what an earlier attempt left, of `size` bytes, is the file's beginning.
    ///
    /// Where nobody knows about ranges yet, the next piece is the proof for those before it too. But a whole size may be
    /// that of a file full of holes, unless an earlier attempt was sure enough to move it.
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
            return .failed(
                UploadFailure(.permanent, "a folder is where the file was to be kept until it is whole"))
        case .nothing where resource?.webDAV.nextURL != nil:
            return followTrial()
        case .nothing where mayBeMoved: return look(at: address(of: movedName), for: .result(isOurs: false))
        case .nothing: break
        case .file(let file):
            let size = file.size ?? 0
            if canUse(size) { held = size }
            // The attempt before broke within a part: the next ones are smaller.
            if server.ranges == .patch, let part = resource?.appends.learntChunk {
                resource?.appends.learntChunk = ChunkSizePolicy.afterBreak(part)
            }
        }
        noteResource(confirmed: held ?? 0)
        return choose()
    }

    /// The `MOVE` to the next temporary name may have arrived before its answer was lost.
    private mutating func followTrial() -> Step {
        let next = resource?.webDAV.nextURL ?? temporary.url
        resource?.url = next
        resource?.webDAV.nextURL = nil
        noteResource(confirmed: resource?.confirmed ?? 0)
        return look(at: temporary, for: .temporary)
    }

    /// The number of server errors about the temporary name after which another name is used.
    private static let refusedLooks = 2

    /// The server fails when it is asked about the temporary name. rclone 1.60 does so for as long as it waits for the
    /// rest of a broken request to that name, which may be an hour.
    mutating func refusedTemporary(_ failure: UploadFailure) -> Step {
        guard var refused = resource else { return .failed(failure) }
        refused.webDAV.refusedLooks += 1
        guard refused.webDAV.refusedLooks >= Self.refusedLooks, !mayBeMoved else {
            resource = refused
            note(.resource(refused))
            return .failed(failure)
        }
        var fresh = UploadResource(url: WebDAVAddress(refused.url).nextTemporary.url)
        fresh.webDAV.abandonedURL = refused.webDAV.abandonedURL ?? refused.url
        resource = fresh
        note(.resource(fresh))
        held = nil
        return choose()
    }

    private var movedName: String { resource?.webDAV.movedName ?? item.name }

    mutating func foundFolder(_ place: FoundEntry) -> Step {
        knowsFolder = true
        guard place == .nothing, let folders = WebDAVFolders(of: finalAddress) else {
            return write(from: 0)
        }
        phase = .making(folders)
        return .send(folders.start())
    }

    mutating func receiveFolder(_ answer: ExchangeOutcome.Response, _ folders: WebDAVFolders) -> Step {
        var folders = folders
        let verdict = folders.receive(answer)
        phase = .making(folders)
        switch verdict {
        case .ask(let exchange): return .send(exchange)
        case .made: return write(from: 0)
        case .failed(let failure): return .failed(failure)
        }
    }

    mutating func write(from offset: ByteCount) -> Step {
        let piece = WebDAVChunk(
            after: offset, of: item.size, chunk: chunk, ranges: server.ranges)
        let address = temporary
        var exchange = piece.exchange(to: address.url, of: item.size)
        if piece.manner == .whole {
            exchange.fields[.contentType] = item.contentType
            if server.isOwnCloud, let modified = item.modified {
                exchange.fields[.ocMtime] = "\(Int64(modified.timeIntervalSince1970))"
            }
        }
        exchange.set(.completes, if: piece.range.upperBound == item.size)
        if resource == nil { resource = UploadResource(url: address.url) }
        noteResource(confirmed: offset)
        phase = .writing(piece)
        return .send(exchange)
    }

    mutating func receiveWritten(_ answer: ExchangeOutcome.Response, _ piece: WebDAVChunk) -> Step {
        switch answer.status {
        case 200..<300:
            held = held ?? 0
            let end = piece.range.upperBound
            let isProof = piece.manner == .contentRange && server.ranges == nil
            if end == item.size || isProof { return look(at: temporary, for: .written(piece)) }
            held = end
            if piece.manner == .partialUpdate {
                let larger = ChunkSizePolicy.afterSuccess(resource?.appends.learntChunk ?? Self.firstPart)
                resource?.appends.learntChunk = min(Self.largestPart, larger)
            }
            noteResource(confirmed: end)
            return write(from: end)
        // chezdav 3.0 answers 500 where the folder is missing.
        case 500 where piece.manner == .whole && !knowsFolder && WebDAVFolders(of: finalAddress) != nil:
            knowsFolder = true
            return foundFolder(.nothing)
        case 413: return tooLarge(answer, piece)
        case 404, 409:
            guard piece.manner == .whole else { return writeAnew(after: piece) }
            guard !knowsFolder else { return .failed(WebDAVFailure.failure(answer)) }
            knowsFolder = true
            return foundFolder(.nothing)
        case 400, 403, 405, 411, 415, 416, 422, 501, 505:
            guard piece.manner != .whole else { return .failed(WebDAVFailure.failure(answer)) }
            return writeAnew(after: piece)
        default: return .failed(WebDAVFailure.failure(answer))
        }
    }

    /// A request that carries less may pass: Apache's LimitRequestBody and nginx's client_max_body_size count one
    /// request, not the file.
    private mutating func tooLarge(_ answer: ExchangeOutcome.Response, _ piece: WebDAVChunk) -> Step {
        let failure = WebDAVFailure.failure(answer).naming(item.size)
        guard !failure.isTransient else { return .failed(failure) }
        guard server.ranges != .refused,
            let limit = TusChunking.below(piece.range.upperBound - piece.range.lowerBound)
        else { return .failed(WebDAVFailure.requestTooLarge(answer, size: item.size)) }
        server.largestRequest = limit
        noteServer()
        return write(from: piece.range.lowerBound)
    }

    /// Takes what the server has under the temporary name after `piece`; nil if it does not say.
    mutating func measured(_ place: FoundEntry?, _ piece: WebDAVChunk) -> Step {
        let end = piece.range.upperBound
        let size: ByteCount?
        newVersion = place?.version
        switch place {
        case .file(let file): size = file.size
        case .nothing: size = 0
        case .folder, nil: size = nil
        }
        let isUnproven = piece.manner == .contentRange && server.ranges == nil
        // A server that does not tell sizes has only its 2xx; parts it may have put anywhere.
        guard size == end || size == nil && piece.manner == .whole else {
            if piece.manner != .whole { return writeAnew(after: piece) }
            held = 0
            noteResource(confirmed: 0)
            return .failed(SingleRequestUpload.wrongSize(size ?? 0, of: item.size, .server))
        }
        if isUnproven {
            server.ranges = .put
            noteServer()
        }
        held = end
        noteResource(confirmed: end)
        guard end == item.size else { return write(from: end) }
        return moveIntoPlace()
    }

    /// One `PUT` of everything, and no more parts at this server if it showed that it does not put them together.
    private mutating func writeAnew(after piece: WebDAVChunk) -> Step {
        guard budget.allows(.restart) else {
            return .failed(UploadFailure(.server, "the server loses what it was sent"))
        }
        server.ranges = .refused
        noteServer()
        held = 0
        // The server has lost nothing: it does not do what the parts asked for.
        resource?.confirmed = 0
        return write(from: 0)
    }
}
