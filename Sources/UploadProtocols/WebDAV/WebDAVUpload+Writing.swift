import HTTPTypes

import struct Foundation.Date

/// The bytes, under the temporary name.
extension WebDAVUpload {
    /// Whether a file of this size goes in parts that are not sure to be put together.
    private var isInRanges: Bool {
        (options.chunkSize.map { $0 < item.size } ?? false) && server.ranges != .patch
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

    mutating func foundTemporary(_ place: FoundPlace) -> Step {
        hasTemporary = place != .nothing
        held = 0
        switch place {
        case .folder:
            return .failed(
                UploadFailure(.permanent, "a folder is where the file was to be kept until it is whole"))
        case .nothing where mayBeMoved: return look(at: address(of: movedName), for: .result(isOurs: false))
        case .nothing: break
        case .file(let file):
            let size = file.size ?? 0
            if canUse(size) { held = size }
        }
        noteResource(confirmed: held)
        return choose()
    }

    private var movedName: String { resource?.movedName ?? item.name }

    mutating func foundFolder(_ place: FoundPlace) -> Step {
        knowsFolder = true
        guard place == .nothing, let folders = WebDAVFolders(of: address(of: name)) else {
            return write(from: 0)
        }
        phase = .making(folders)
        return .send(folders.start())
    }

    mutating func receiveFolder(_ answer: Reply.Answer, _ folders: WebDAVFolders) -> Step {
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
        let piece = WebDAVPiece(
            after: offset, of: item.size, chunk: options.chunkSize, ranges: server.ranges)
        let address = temporary
        var exchange = piece.exchange(to: address.url, of: item.size)
        if piece.manner == .whole {
            exchange.fields[.contentType] = item.contentType
            if server.isOwnCloud, let modified = item.modified {
                exchange.fields[.ocMtime] = "\(Int64(modified.timeIntervalSince1970))"
            }
        }
        exchange.mayComplete = piece.range.upperBound == item.size
        if resource == nil { resource = Resource(url: address.url) }
        noteResource(confirmed: offset)
        phase = .writing(piece)
        return .send(exchange)
    }

    mutating func receiveWritten(_ answer: Reply.Answer, _ piece: WebDAVPiece) -> Step {
        switch answer.status {
        case 200..<300:
            hasTemporary = true
            let end = piece.range.upperBound
            let isProof = piece.manner == .contentRange && server.ranges == nil
            if end == item.size || isProof { return look(at: temporary, for: .written(piece)) }
            held = end
            noteResource(confirmed: end)
            return write(from: end)
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

    /// Takes what the server has under the temporary name after `piece`; nil if it does not say.
    mutating func measured(_ place: FoundPlace?, _ piece: WebDAVPiece) -> Step {
        let end = piece.range.upperBound
        let size: ByteCount?
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
            return .failed(WholeUpload.wrongSize(size ?? 0, of: item.size, .server))
        }
        if isUnproven {
            server.ranges = .put
            noteServer()
        }
        held = end
        noteResource(confirmed: end)
        return end == item.size ? move() : write(from: end)
    }

    /// One `PUT` of everything, and no more parts at this server if it showed that it does not put them together.
    private mutating func writeAnew(after piece: WebDAVPiece) -> Step {
        restarts += 1
        guard restarts < Self.patience else {
            return .failed(UploadFailure(.server, "the server loses what it was sent"))
        }
        server.ranges = .refused
        noteServer()
        held = 0
        return write(from: 0)
    }
}
