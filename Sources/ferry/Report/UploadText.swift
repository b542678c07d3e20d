import FerryProtocols
import FerryTUI
import FerryUploads

/// The text about uploads that commands print for users.
enum UploadText {
    /// Returns one line about an upload: number, state, size, progress, name and remarks.
    ///
    /// - Parameters:
    ///   - sent: The bytes sent so far; nil for those that the server has probably stored.
    ///   - showsPlace: True to add the destination.
    ///   - isBrief: True to leave out the result of a done upload, such as its URL.
    static func line(
        _ upload: Upload, sent: ByteCount? = nil, showsPlace: Bool = false, isBrief: Bool = false,
        now: Date = Date()
    ) -> String {
        let number = padded("\(upload.id)", 6, right: true)
        let state = padded(upload.state.kind, 8)
        let size = padded(ByteFormat.compact(upload.size), 5, right: true)
        let share = padded(progress(upload, sent: sent), 4, right: true)
        let file = showsPlace ? named(upload) : name(upload)
        let remarks = [
            newName(upload), upload.batch.map { "batch \(SafeLine.text($0))" },
            upload.mayBeDuplicate ? "possible duplicate" : nil,
            isBrief ? briefRemark(upload, now: now) : remark(upload, now: now),
        ]
        return "\(number)  \(state)  \(size)  \(share)  \(file)" + bracketed(remarks)
    }

    private static func progress(_ upload: Upload, sent: ByteCount?) -> String {
        let sent = sent ?? SampledProgress().of(upload)
        let share = upload.size > 0 ? Int(Double(sent) / Double(upload.size) * 100) : 0
        return switch upload.state {
        case .done: "100%"
        case .queued where sent == 0: ""
        case .queued, .running, .waiting, .paused, .held, .failed: "\(min(100, share))%"
        }
    }

    /// Returns the upload's row in the table of `ferry list`, without a URL: that is too long for the table.
    static func row(_ upload: Upload, sent: ByteCount?, now: Date = Date()) -> ListTable.Row {
        let remarks = [
            upload.isRenamed ? "as \(upload.target.name)" : nil, upload.batch.map { "batch \($0)" },
            upload.mayBeDuplicate ? "possible duplicate" : nil, briefRemark(upload, now: now),
        ]
        return (
            number: String(upload.id), state: upload.state.kind, size: ByteFormat.compact(upload.size),
            progress: progress(upload, sent: sent),
            name: upload.isRenamed ? upload.path.name : upload.target.name,
            destination: upload.target.destinationText,
            remark: remarks.compactMap { $0 }.joined(separator: "; ")
        )
    }

    /// Returns the file's name on the server with its folders or, for an upload under a new name, the local name.
    static func name(_ upload: Upload) -> String {
        SafeLine.text(upload.isRenamed ? upload.path.name : upload.target.name)
    }

    /// Returns the name and the destination: `film.mov -> films`.
    static func named(_ upload: Upload) -> String {
        "\(name(upload)) -> \(SafeLine.text(upload.target.destinationText))"
    }

    /// Returns the new name that the file gets on the server, such as `as reel.mov`; nil if the file keeps its name.
    static func newName(_ upload: Upload) -> String? {
        upload.isRenamed ? "as \(SafeLine.text(upload.target.name))" : nil
    }

    private static func briefRemark(_ upload: Upload, now: Date) -> String? {
        switch upload.state {
        case .done(let receipt, _): receipt.wasThere ? "was there already" : nil
        case .queued, .running, .waiting, .paused, .held, .failed: remark(upload, now: now)
        }
    }

    static func bracketed(_ remarks: [String?]) -> String {
        let remarks = remarks.compactMap { $0 }
        return remarks.isEmpty ? "" : "  (\(remarks.joined(separator: "; ")))"
    }

    static func remark(_ upload: Upload, now: Date = Date()) -> String? {
        switch upload.state {
        case .waiting(let until, let failure):
            let wait = Strings.wait(until.timeIntervalSince(now))
            return SafeLine.text("retrying \(wait): \(failure.summary)")
        case .held(let failure), .failed(let failure):
            let advised = failure.advised(for: upload.target.destination)
            return SafeLine.text(advised.summary + (advised.hint.map { "; \($0)" } ?? ""))
        case .paused(let reasons):
            return reasons == .offline ? "waiting for network" : start(upload, now: now)
        case .done(let receipt, _): return outcome(receipt)
        case .running: return upload.resource?.parts.map { "\($0.stored) of \($0.planned) parts" }
        case .queued: return start(upload, now: now)
        }
    }

    /// Returns the upload's start condition in words, such as `at 22:00`, without a time in the past.
    private static func start(_ upload: Upload, now: Date) -> String? {
        guard var start = upload.start else { return nil }
        if let date = start.notBefore, date <= now { start.notBefore = nil }
        return start == .init() ? nil : start.words(\.shortMoment)
    }

    static func line(_ blocked: BlockedUpload) -> String {
        "\(padded("\(blocked.upload.id)", 6, right: true))  \(blocked.sentence); \(blocked.hint)"
    }

    static func removed(_ upload: Upload) -> String { "\(upload.id)  removed  \(name(upload))" }

    private static func outcome(_ receipt: Receipt) -> String {
        let verified = receipt.verified.map { "verified (\($0.shown))" }
        let source = receipt.source.map { "the file was \($0.rawValue) meanwhile" }
        let parts = [receipt.wasThere ? "was there already" : nil, verified, receipt.location, source]
        return SafeLine.text(parts.compactMap { $0 }.joined(separator: "; "))
    }

    static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let room = String(repeating: " ", count: max(0, width - text.count))
        return right ? room + text : text + room
    }
}

extension BlockedUpload {
    /// A sentence with the two commands that make the blocked upload start.
    var hint: String {
        let other = if case .paused = blocker.state { "resume" } else { "retry" }
        return
            "`ferry \(other) \(blocker.id)` resumes that one, `ferry retry \(upload.id)` starts this without it"
    }
}
