extension StatusLine: OutputLine {
    private static let count = Schema.whole(0...Int.max)

    static let schema = LineSchema(
        [.init("status", "How the ferry is that runs.")],
        always: [.init("running", .flag, "Whether an engine runs; without one, no other member is there.")],
        maybe: [
            .init("version", .text(), "Of Ferry."),
            .init("process", .whole(1...Int.max), "The number of its process."),
            .init("since", .moment, "When it was started."),
            .init("screens", count, "Screens that are attached."),
            .init("network", .choice(["online", "offline"]), "Whether uploads that need it may run."),
            .init("reason", .text(), "Why there is no network."),
            .init(
                "uploads",
                .record(
                    UploadRecordLine.states.map { .init($0, count, "How many.") } + [
                        .init(
                            "bytesLeft", count,
                            "Bytes not sent yet of uploads that need no command and wait for no time."),
                        .init("bytesLater", count, "Bytes of those that are not to start before a time."),
                    ], maybe: [.init("offline", count, "Of the paused: those that wait for the network.")]),
                "How many there are by state, and what is left to send."),
            .init("rate", count, "Bytes per second of all uploads together, now."),
            .init("eta", .number(0...1e12), "Seconds until all that is due is sent, as it goes now."),
            .init("concurrency", .whole(1...Int.max), "Uploads that may run at once."),
            .init("bandwidth", count, "Bytes per second over all uploads; absent without a limit."),
            .init("bandwidthUntil", .moment, "When a timetable says otherwise."),
            .init(
                "limits",
                .array(.record(LimitLine.schema.always, maybe: LimitLine.schema.sometimes), atLeast: 1),
                "Limits of destinations and batches."),
            .init("notice", .text(), "What a person should know of the whole queue."),
            .init(
                "slow", .array(.record(RetryAfterPauseLine.schema.always), atLeast: 1),
                "Servers that ask to be left alone."),
            .init("away", .array(UnreachableHostLine.schema, atLeast: 1), "Hosts that do not answer."),
            .init(
                "watched",
                .array(
                    .record(
                        [
                            .init("folder", .text(), "Its path."),
                            .init("to", .text(), "A destination's name, or an address."),
                            .init("there", .flag, "Whether it is there."),
                            .init(
                                "settle", .number(WatchSettings.settleRange),
                                "Seconds for which a file must not change."),
                            .init(
                                "after", .choice(["keep", "delete", "move"]),
                                "What to do with an uploaded file."),
                            .init("settling", count, "Files that have not kept still for long enough."),
                            .init("inUse", count, "Files that a program writes to, or that cannot be read."),
                        ], maybe: [.init("goal", .text(), "The folder that it is moved into.")]), atLeast: 1),
                "Folders that are watched."),
        ])
}
