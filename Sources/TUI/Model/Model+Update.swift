import Transfer
import UploadProtocols
import Uploads

extension Model {
    /// Takes in what happened and returns what is to be done outside. The only place where the model changes.
    mutating func update(_ message: Message) -> [Effect] {
        switch message {
        case .clock(let clock): return advance(to: clock)
        case .resized(let size):
            self.size = size
            keepCursorInView()
        case .key(let key): return press(key)
        case .clicked(let target): return click(target)
        case .queue(let update): return take(update)
        case .progress(let samples): take(samples)
        case .replied(let reply, let request): return take(reply, to: request)
        case .previewed(let selection, let number): return take(selection, number: number)
        case .completed(let candidates, let number): return take(candidates, number: number)
        case .stray(let text):
            let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? text
            say(.warning, String(line.prefix(200)))
        case .cannotSuspend: say(.warning, "cannot suspend: no shell to go back to")
        case .queueEnded:
            queueHasEnded = true
            if isFinishing { return [.finish(.quitWhenIdle)] }
        }
        return []
    }

    mutating func say(_ kind: Toast.Kind, _ text: String) {
        toast = Toast(kind, text, now: clock.seconds)
    }

    private mutating func advance(to clock: Clock) -> [Effect] {
        self.clock = clock
        if let toast, clock.seconds >= toast.expires {
            self.toast = nil
            toastEnded = clock.seconds
        }
        if case .add(var add) = dialog, case .due(let at) = add.preview, clock.seconds >= at {
            questions += 1
            add.preview = .asked(number: questions, adding: false)
            dialog = .add(add)
            return [.preview(add.text, number: questions)]
        }
        return []
    }

    private mutating func take(_ update: QueueUpdate) -> [Effect] {
        let before = cursorIndex
        let wasOffline = isOffline
        status = update.status
        if table.apply(update) { settleCursor(before: before) }
        if update.isComplete {
            marks = marks.filter { table[$0] != nil }
            live = live.filter { table.running.contains($0.key) }
        }
        for id in update.removed {
            marks.remove(id)
            live[id] = nil
        }
        for upload in update.changed where !table.running.contains(upload.id) { live[upload.id] = nil }
        if table.running.isEmpty {
            total = Throughput()
            sampledAt = nil
        }
        if isLoading { startCursor() }
        isLoading = false
        if wasOffline, !isOffline, !update.isComplete {
            say(.information, "the network is back; uploads go on where they were")
        }
        return isFinishing && table.running.isEmpty ? [.finish(.quitWhenIdle)] : []
    }

    private mutating func take(_ samples: [ProgressSample]) {
        var bytes = 0.0
        for sample in samples {
            guard let upload = table[sample.id], case .running(let attempt, _) = upload.state else {
                continue
            }
            if live[sample.id] == nil {
                live[sample.id] = LiveProgress(sample, attempt: attempt, now: clock.seconds)
            } else {
                bytes +=
                    live[sample.id]?.take(sample, attempt: attempt, size: upload.size, now: clock.seconds)
                    ?? 0
            }
        }
        if let sampledAt, clock.seconds > sampledAt {
            total.add(
                bytes: bytes, over: clock.seconds - sampledAt, left: Double(max(0, bytesLeft)),
                now: clock.seconds)
        }
        sampledAt = clock.seconds
    }

    /// On the first sight of the queue: where something happens, else where something is left to do.
    private mutating func startCursor() {
        let unfinished = rows.first { place in
            guard let upload = table[place.id] else { return false }
            if case .done = upload.state { return false }
            return true
        }
        cursor = rows.first { table.running.contains($0.id) } ?? unfinished ?? rows.first
        keepCursorInView()
    }

    /// The cursor stays on its upload and on its line. If the upload has left the list, a neighbour takes over.
    private mutating func settleCursor(before: Int?) {
        let line = before.map { $0 - top }
        let rows = rows
        guard let old = cursor else {
            cursor = rows.first
            keepCursorInView()
            return
        }
        if let now = table.place(of: old.id), rows.index(of: now) != nil {
            cursor = now
        } else {
            cursor = rows.isEmpty ? nil : rows[min(rows.lowerBound(of: old), rows.count - 1)]
        }
        if let line, let index = cursorIndex { top = index - line }
        keepCursorInView()
    }

    mutating func moveCursor(by lines: Int) {
        guard !rows.isEmpty else { return }
        let (target, _) = (cursorIndex ?? 0).addingReportingOverflow(lines)
        moveCursor(to: target)
    }

    mutating func moveCursor(to index: Int) {
        guard !rows.isEmpty else { return }
        cursor = rows[max(0, min(rows.count - 1, index))]
        keepCursorInView()
    }

    mutating func show(_ tab: Tab) {
        guard tab != self.tab else { return }
        let old = cursor
        self.tab = tab
        top = 0
        cursor = rows.isEmpty ? nil : rows[min(old.map { rows.lowerBound(of: $0) } ?? 0, rows.count - 1)]
        keepCursorInView()
    }

    mutating func keepCursorInView() {
        let height = max(1, layout.list.count)
        if let index = cursorIndex {
            if index < top { top = index }
            if index >= top + height { top = index - height + 1 }
        }
        top = max(0, min(top, rows.count - height))
    }
}
