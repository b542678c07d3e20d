import FerryTUI
import FerryUploads

extension ConfigurationLine {
    static let schema = LineSchema(
        [.init("configuration", "Where the files are, and what is configured.")],
        always: [
            .init("folder", .text(), "Of the queue and the logs."),
            .init(
                "destinations",
                .array(
                    .record([
                        .init("name", .text(), "As --to takes it."),
                        .init("url", .text(), "Its address, without a query."),
                        .init("protocol", .text(), "As configured."),
                        .init("isDefault", .flag, "Whether it is meant where none is named."),
                    ])), "By name."),
            .init("watch", .array(watch), "Folders that are watched, in their order."),
            .init("hooks", .array(hook), "Commands that are run when something happens."),
            .init("limits", .array(limit), "Of all uploads together, then those of destinations by name."),
            .init("warnings", .array(.text()), "What may do harm, or does not work now."),
        ],
        maybe: [
            .init("file", .text(), "The configuration; absent if there is none."),
            .init("concurrency", .whole(1...256), "Uploads at once; absent for 4, or up to 32 small files."),
            .init("perHost", .whole(1...256), "Uploads to one host at once; absent for as many as in total."),
        ])

    private static let watch = Schema.record(
        [
            .init("folder", .text(), "Its path."),
            .init("there", .flag, "Whether there is such a folder."),
            .init("to", .text(), "A destination's name, or an address without a query."),
            .init("include", .array(.text()), "Patterns for the files that are meant; all if there is none."),
            .init("exclude", .array(.text()), "Patterns for files and folders that are not."),
            .init("recursive", .flag, "Whether folders in it belong to it."),
            .init("settle", .number(WatchSettings.settleRange), "Seconds for which a file must not change."),
            .init(
                "after", .choice(["keep", "delete", "move"]), "What to do with an uploaded file."
            ),
        ], maybe: [.init("goal", .text(), "The folder that it is moved into.")])

    private static let hook = Schema.record([
        .init("event", .choice(QueueEvent.Name.self), "When."),
        .init("command", .array(.text(), atLeast: 1), "The program and its arguments."),
        .init("there", .flag, "Whether there is such a program."),
        .init("timeout", .number(0.1...3600), "Seconds after which it is ended."),
    ])

    private static let rate = Schema.whole(1...Int.max)

    private static let limit = Schema.record(
        [
            .init("scope", .choice(["total", "destination"]), "Whose uploads it is for."),
            .init(
                "timetable",
                .array(
                    .record(
                        [
                            .init(
                                "days", .array(.choice(Timetable.Weekday.allCases.map(\.name)), atLeast: 1),
                                "On which it begins."),
                            .init("from", .text(), "A time of day."),
                            .init("to", .text(), "A time of day; of the next one if it is not after from."),
                        ], maybe: [.init("bandwidth", rate, "Bytes per second; absent without a limit.")])),
                "The first entry that matches local time wins."),
        ],
        maybe: [
            .init("name", .text(), "Of the destination."),
            .init("bandwidth", rate, "Bytes per second while no entry fits; absent without a limit."),
        ])
}
