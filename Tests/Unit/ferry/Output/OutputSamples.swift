import FerryProtocols
import FerryReceiver
import FerryTestSupport
import FerryTransfer
import Foundation

@testable import FerryCommand
@testable import FerryUploads

/// Samples of the lines for programs. Together they contain every member.
enum OutputSamples {
    static var lines: [any OutputLine] {
        uploads + changes + status + checks + [verified, configuration] + limits + receiver + [reload]
    }

    private static let moment = Date(timeIntervalSince1970: 1_800_000_000)
    private static let pause = RetryAfterPause(host: "h.example", status: 503, until: moment, waiting: 2)
    private static let destination = Destination(
        name: "d", url: "https://h.example/?sig=1", protocolName: "tus")
    private static let new = NewUpload(
        path: LocalPath(bytes: [0x2F, 0xFF]), identity: Upload.boxed(1).identity,
        target: Upload.boxed(1).target, batch: "day 3",
        start: Upload.StartCondition(notBefore: moment, after: [1...2]))

    private static func upload(_ state: Upload.State) -> Upload {
        var upload = Upload.boxed(1, state, attempts: 2)
        upload.batch = "day 3"
        upload.start = Upload.StartCondition(notBefore: moment, after: [1...2])
        upload.tries.resumes = 1
        upload.tries.resent = 7
        upload.resource = UploadResource(
            url: "/a", confirmed: 4, parts: .init(stored: 1, planned: 2), expires: moment,
            memory: ["protocol": "tus", "because": "the server says so"])
        return upload
    }

    private static var uploads: [any OutputLine] {
        var known = upload(
            .waiting(until: moment, failure: UploadFailure(.server, "busy", hint: "later", status: 503)))
        known.tries.uncertain = 1
        let receipt = Receipt(
            location: "https://box.example/1", duration: 0.25, verified: .sha256, wasThere: true,
            source: .replaced)
        let done = upload(.done(receipt, at: moment))
        var blocked = Upload.boxed(3)
        blocked.start = Upload.StartCondition(after: [2...2])
        return [
            UploadRecordLine(
                event: "progress", known, sent: 6,
                estimate: TransferEstimate(rate: 1_000_000, remaining: 12.54)),
            UploadRecordLine(event: "state", done), UploadRecordLine(event: "upload", .boxed(1, .failed)),
        ] + BlockedUpload.all(among: [.boxed(2, .failed), blocked]).map(UploadRecordLine.init) + [
            FinishedLine(HistoryEntry(outcome: .done, at: moment, upload: done)),
            FinishedLine(HistoryEntry(outcome: .removed, at: moment, upload: known)),
            AddedLine(new, id: 1), AddedLine(new, id: nil), SkippedLine(new, known: .boxed(3, .done)),
            SkippedLine(new, known: .boxed(3, .failed)),
            SkippedLine(FileSelection.Problem(path: LocalPath("/a"), reason: "no such file")),
        ]
    }

    private static var changes: [any OutputLine] {
        let offer = UndoOffer(number: 1, change: .moved, ids: [3], date: moment)
        return [
            ChangedLine(ChangedLine.Change.retried, [1]),
            ChangedLine(QueueChangeKind.unadded(done: 2), [1, 2]),
            ChangedLine(offer), CountsLine(event: "idle", counts: ["done": 2]),
            NetworkLine(event: "offline", reason: "no address"), NetworkLine(event: "online"),
            StorageLine(event: "notSaved", text: "the disk is full", hint: "make room"),
            StorageLine(event: "saved", text: "saved"),
            NoticeLine(notice: Notice(kind: .warning, text: "not verified \u{7F}\u{202E}")),
            RetryAfterPauseLine(pause: pause),
        ]
    }

    private static let bandwidthLimits = [
        BandwidthLimit(.total, .atMost(1 << 20), origin: .timetable, until: moment),
        BandwidthLimit(.destination("d"), .atMost(1 << 20), origin: .timetable, until: moment),
        BandwidthLimit(.batch("b"), .atMost(5), origin: .command), BandwidthLimit(.total, .unlimited),
    ]
    private static var limits: [any OutputLine] {
        bandwidthLimits.map { LimitLine(limit: $0) } + [
            FlushedLine(file: "/home/ann/state/queue.json"),
            StopLine(running: false, process: 7), StopLine(running: false),
        ]
    }

    private static var status: [any OutputLine] {
        let status = EngineStatus(
            network: .offline(since: moment, reason: "no address"), limits: bandwidthLimits,
            notice: UploadFailure(.storage, "the disk is full"), retryAfterPauses: [pause],
            unreachableHosts: [UnreachableHost(host: "h.example", reason: "is not found", waiting: 1)])
        let report = EngineReport(
            process: 7, since: moment, status: status,
            counts: .init(QueueTable([.boxed(1, .running), .boxed(2, .held), .boxed(3, .paused(.offline))])),
            estimate: TransferEstimate(rate: 1_000_000, remaining: 12.5), screens: 1,
            watched: [
                .init(
                    folder: "/home/ann/out", to: "d", there: true, settle: 5, after: "move",
                    goal: "/home/ann/sent", settling: 1, inUse: 2)
            ])
        let idle = EngineReport(
            process: 7, since: moment, status: EngineStatus(), counts: .init(QueueTable()), screens: 0)
        return [StatusLine(report: report), StatusLine(report: idle), StatusLine(report: nil)]
    }

    private static var checks: [any OutputLine] {
        let known = ServerCapabilities(
            extensions: ["creation"], maximumSize: 1 << 30,
            facts: ["protocol": "tus", "because": "the server says so"], asked: moment)
        let leftover = CheckReport.Leftover(
            name: "a", begun: moment, changed: moment, size: 5, resource: UploadResource(url: "/a"))
        let failure = UploadFailure(.server, "busy", hint: "ask later", status: 503)
        let dispositions: [CheckResult.Leftover.Disposition] = [
            .stays(failure), .isThere, .own(1), .deletedSoon, .removed,
        ]
        return [
            CheckLine(
                result: CheckResult(
                    destination: destination, failure: failure, findings: ["it is"], known: known,
                    leftovers: dispositions.map {
                        .init(
                            leftover: leftover,
                            abandoned: AbandonedUpload(upload(.queued), since: moment), disposition: $0)
                    })),
            CheckLine(
                result: CheckResult(
                    destination: Destination(name: "", url: "https://h.example/", protocolName: "auto"))),
        ]
    }

    private static var verified: any OutputLine {
        var report = StateReport()
        report.files = [.init(name: "queue.json", bytes: 9)]
        report.leftOver = [.init(name: "queue.json.1", bytes: 8)]
        (report.generation, report.pendingBytes, report.states) = (3, 5, ["queued": 1])
        (report.problems, report.hint) = (["p"], "h")
        report.notices = [.acceptedEdit]
        report.holder = JournalError.inUse(pid: 7, since: moment, host: nil)
        return VerifiedLine(report: report, folder: "/home/ann")
    }

    private static let settings: Configuration = {
        var configuration = Configuration()
        configuration.defaultDestination = "d"
        configuration.destinations["d"] = try? JSONDecoder().decode(
            DestinationSettings.self,
            from: Data(#"{ "url": "https://h.example/?sig=1", "protocol": "tus" }"#.utf8))
        configuration.watch = [WatchSettings(folder: "/nowhere/out")]
        configuration.hooks.commands[.done] = [HookCommand(words: ["true"])]
        (configuration.limits.concurrency, configuration.limits.perHost) = (8, 2)
        configuration.limits.bandwidth = Timetable(
            [.init(days: [.monday], .atMost(1 << 20))], otherwise: .atMost(2 << 20))
        configuration.destinations["d"]?.bandwidth = Timetable([], otherwise: .atMost(1))
        return configuration
    }()

    private static var configuration: any OutputLine {
        let watch = Watch(
            folder: WatchedFolder(
                path: LocalPath("/nowhere/out"), after: .move(to: LocalPath("/nowhere/sent"))),
            destination: destination)
        return ConfigurationLine(
            configuration: settings, watches: [watch], file: "/home/ann/config.json",
            folder: "/home/ann/state")
    }

    private static var receiver: [any OutputLine] {
        let events: [ReceiverEvent] = [
            .created(id: "1", name: "a", size: nil), .finished(id: "1", name: "a", size: 5),
            .interrupted(id: "1", name: "a", kept: 3), .resumed(id: "1", name: "a", offset: 2),
            .removed(id: "1", name: "a"), .expired(id: "1", name: "a"),
            .refused(status: 403, reason: "no", request: "PUT /a", client: "192.0.2.7"),
            .refused(status: 400, reason: "no", request: ""),
        ]
        let address = ListeningLine(
            url: "http://h.example/", tus: "http://h.example/files/", folder: "in", tokenFile: "in/token")
        let lines = events.compactMap { ReceiverLine($0) }
        return [address] + (lines + [ReceiverLine(omitted: 12)])
    }

    private static var reload: any OutputLine {
        let changes = ConfigurationChanges(from: Configuration(), to: settings, since: Configuration())
        return ReloadLine(
            report: ReloadReport(file: "/home/ann/config.json", changes: changes, retry: [1], warnings: ["w"])
        )
    }

    /// The lines as every version must print them.
    static let text = #"""
        {"after":[1,2],"attempts":2,"batch":"day 3","because":"the server says so","confirmed":4,"destination":"box","error":"busy","eta":12.5,"event":"progress","expires":"2027-01-15T08:00:00Z","hint":"later","id":1,"name":"1","parts":{"held":1,"planned":2},"path":"/out/1","possibleDuplicate":true,"protocol":"tus","rate":1000000,"resent":7,"resumes":1,"sent":6,"size":10,"startsAt":"2027-01-15T08:00:00Z","state":"waiting","status":503,"until":"2027-01-15T08:00:00Z","url":"https://box.example/"}
        {"after":[1,2],"attempts":2,"batch":"day 3","because":"the server says so","confirmed":10,"destination":"box","duration":0.25,"event":"state","expires":"2027-01-15T08:00:00Z","id":1,"location":"https://box.example/1","name":"1","parts":{"held":1,"planned":2},"path":"/out/1","protocol":"tus","resent":7,"resumes":1,"sent":10,"size":10,"source":"replaced","startsAt":"2027-01-15T08:00:00Z","state":"done","url":"https://box.example/","verified":"sha-256","wasThere":true}
        {"attempts":0,"confirmed":0,"destination":"box","error":"no write access","event":"upload","id":1,"name":"1","path":"/out/1","protocol":"put","resent":0,"resumes":0,"sent":0,"size":10,"state":"failed","status":403,"url":"https://box.example/"}
        {"after":[2],"attempts":0,"confirmed":0,"destination":"box","error":"waits for 2, which failed","event":"blocked","hint":"`ferry retry 2` resumes that one, `ferry retry 3` starts this without it","id":3,"name":"3","path":"/out/3","protocol":"put","resent":0,"resumes":0,"sent":0,"size":10,"state":"queued","url":"https://box.example/"}
        {"after":[1,2],"attempts":2,"batch":"day 3","because":"the server says so","confirmed":10,"destination":"box","duration":0.25,"event":"finished","expires":"2027-01-15T08:00:00Z","finished":"2027-01-15T08:00:00Z","id":1,"location":"https://box.example/1","name":"1","outcome":"done","parts":{"held":1,"planned":2},"path":"/out/1","protocol":"tus","resent":7,"resumes":1,"sent":10,"size":10,"source":"replaced","startsAt":"2027-01-15T08:00:00Z","state":"done","url":"https://box.example/","verified":"sha-256","wasThere":true}
        {"after":[1,2],"attempts":2,"batch":"day 3","because":"the server says so","confirmed":4,"destination":"box","error":"busy","event":"finished","expires":"2027-01-15T08:00:00Z","finished":"2027-01-15T08:00:00Z","hint":"later","id":1,"name":"1","outcome":"removed","parts":{"held":1,"planned":2},"path":"/out/1","possibleDuplicate":true,"protocol":"tus","resent":7,"resumes":1,"sent":4,"size":10,"startsAt":"2027-01-15T08:00:00Z","state":"waiting","status":503,"until":"2027-01-15T08:00:00Z","url":"https://box.example/"}
        {"after":[1,2],"batch":"day 3","destination":"box","event":"added","id":1,"name":"1","path":"base64:L/8=","protocol":"put","size":10,"startsAt":"2027-01-15T08:00:00Z","url":"https://box.example/"}
        {"after":[1,2],"batch":"day 3","destination":"box","event":"wouldAdd","name":"1","path":"base64:L/8=","protocol":"put","size":10,"startsAt":"2027-01-15T08:00:00Z","url":"https://box.example/"}
        {"event":"skipped","id":3,"known":true,"path":"base64:L/8=","reason":"was uploaded in this version","state":"done"}
        {"event":"skipped","id":3,"known":true,"path":"base64:L/8=","reason":"has failed; `ferry retry 3` tries it again","state":"failed"}
        {"event":"skipped","path":"/a","reason":"no such file"}
        {"change":"retried","event":"changed","ids":[1]}
        {"change":"removed","done":2,"event":"changed","ids":[1,2]}
        {"at":"2027-01-15T08:00:00Z","change":"moved","event":"wouldUndo","ids":[3]}
        {"counts":{"done":2},"event":"idle"}
        {"event":"offline","reason":"no address"}
        {"event":"online"}
        {"event":"notSaved","hint":"make room","text":"the disk is full"}
        {"event":"saved","text":"saved"}
        {"event":"warning","text":"not verified \u007f\u202e"}
        {"event":"slow","host":"h.example","status":503,"until":"2027-01-15T08:00:00Z","waiting":2}
        {"away":[{"host":"h.example","reason":"is not found","waiting":1}],"bandwidth":1048576,"bandwidthUntil":"2027-01-15T08:00:00Z","concurrency":4,"eta":12.5,"event":"status","limits":[{"bandwidth":1048576,"from":"timetable","name":"d","scope":"destination","until":"2027-01-15T08:00:00Z"},{"bandwidth":5,"from":"command","name":"b","scope":"batch"}],"network":"offline","notice":"the disk is full","process":7,"rate":1000000,"reason":"no address","running":true,"screens":1,"since":"2027-01-15T08:00:00Z","slow":[{"host":"h.example","status":503,"until":"2027-01-15T08:00:00Z","waiting":2}],"uploads":{"bytesLater":0,"bytesLeft":20,"done":0,"failed":0,"held":1,"offline":1,"paused":1,"queued":0,"running":1,"waiting":0},"version":"0.1.0","watched":[{"after":"move","folder":"/home/ann/out","goal":"/home/ann/sent","inUse":2,"settle":5,"settling":1,"there":true,"to":"d"}]}
        {"concurrency":4,"event":"status","network":"online","process":7,"running":true,"screens":0,"since":"2027-01-15T08:00:00Z","uploads":{"bytesLater":0,"bytesLeft":0,"done":0,"failed":0,"held":0,"paused":0,"queued":0,"running":0,"waiting":0},"version":"0.1.0"}
        {"event":"status","running":false}
        {"asked":"2027-01-15T08:00:00Z","because":"the server says so","checksums":[],"destination":"d","error":"busy","event":"check","extensions":["creation"],"findings":["it is"],"hint":"ask later","ifExists":[],"leftovers":[{"begun":"2027-01-15T08:00:00Z","changed":"2027-01-15T08:00:00Z","error":"busy","givenUp":"2027-01-15T08:00:00Z","name":"a","size":5,"state":"failed"},{"begun":"2027-01-15T08:00:00Z","changed":"2027-01-15T08:00:00Z","givenUp":"2027-01-15T08:00:00Z","name":"a","size":5,"state":"there"},{"begun":"2027-01-15T08:00:00Z","changed":"2027-01-15T08:00:00Z","givenUp":"2027-01-15T08:00:00Z","name":"a","size":5,"state":"own"},{"begun":"2027-01-15T08:00:00Z","changed":"2027-01-15T08:00:00Z","givenUp":"2027-01-15T08:00:00Z","name":"a","size":5,"state":"deletedSoon"},{"begun":"2027-01-15T08:00:00Z","changed":"2027-01-15T08:00:00Z","givenUp":"2027-01-15T08:00:00Z","name":"a","size":5,"state":"removed"}],"maximumSize":1073741824,"ok":false,"parallel":false,"protocol":"tus","resumes":true,"status":503,"url":"https://h.example/"}
        {"destination":"","event":"check","findings":[],"leftovers":[],"ok":true,"protocol":"auto","url":"https://h.example/"}
        {"counts":{"queued":1},"event":"verified","files":[{"bytes":9,"name":"queue.json"}],"folder":"/home/ann","generation":3,"hint":"h","inUse":"the queue is in use by process 7 since 2027-01-15 08:00","leftOver":[{"bytes":8,"name":"queue.json.1"}],"notices":["queue.json was changed outside and has been taken over"],"ok":false,"pendingBytes":5,"problems":["p"]}
        {"concurrency":8,"destinations":[{"isDefault":true,"name":"d","protocol":"tus","url":"https://h.example/"}],"event":"configuration","file":"/home/ann/config.json","folder":"/home/ann/state","hooks":[{"command":["true"],"event":"done","there":true,"timeout":10}],"limits":[{"bandwidth":2097152,"scope":"total","timetable":[{"bandwidth":1048576,"days":["mon"],"from":"00:00","to":"24:00"}]},{"bandwidth":1,"name":"d","scope":"destination","timetable":[]}],"perHost":2,"warnings":["watch: /nowhere/out is not there; it is looked for while the engine runs"],"watch":[{"after":"move","exclude":[],"folder":"/nowhere/out","goal":"/nowhere/sent","include":[],"recursive":false,"settle":5,"there":false,"to":"d"}]}
        {"bandwidth":1048576,"event":"limit","from":"timetable","scope":"total","until":"2027-01-15T08:00:00Z"}
        {"bandwidth":1048576,"event":"limit","from":"timetable","name":"d","scope":"destination","until":"2027-01-15T08:00:00Z"}
        {"bandwidth":5,"event":"limit","from":"command","name":"b","scope":"batch"}
        {"event":"limit","from":"nothing","scope":"total"}
        {"event":"flushed","file":"/home/ann/state/queue.json"}
        {"event":"stop","process":7,"running":false}
        {"event":"stop","running":false}
        {"event":"listening","folder":"in","tokenFile":"in/token","tus":"http://h.example/files/","url":"http://h.example/"}
        {"event":"begun","id":"1","name":"a"}
        {"event":"stored","id":"1","name":"a","size":5}
        {"event":"interrupted","id":"1","kept":3,"name":"a"}
        {"event":"resumed","id":"1","name":"a","offset":2}
        {"event":"withdrawn","id":"1","name":"a"}
        {"event":"expired","id":"1","name":"a"}
        {"client":"192.0.2.7","event":"refused","reason":"no","request":"PUT /a","status":403}
        {"event":"refused","reason":"no","status":400}
        {"event":"refused","omitted":12}
        {"added":["d"],"atNextStart":["hooks","watch"],"changed":[],"event":"reload","file":"/home/ann/config.json","now":["defaultDestination","limits"],"removed":[],"retry":[1],"warnings":["w"]}
        """#
}
