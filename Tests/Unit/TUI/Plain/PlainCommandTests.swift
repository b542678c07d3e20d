import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct PlainCommandTests {
    @Test(
        arguments: [
            ("help", .help), ("?", .help), ("  HELP ", .help), ("list", .list(.all, RowFilter(""))),
            ("list failed", .list(.failed, RowFilter(""))),
            ("list failed raw size>1g", .list(.failed, RowFilter(" raw size>1g"))),
            ("list raw", .list(.all, RowFilter(" raw"))),
            ("show 3 4-9", .show(UploadNumbers([3...3, 4...9]))),
            ("pause 3", .pause(.ids([3]))), ("pause all", .pause(.all)), ("resume ALL", .resume(.all)),
            ("retry failed", .retry(.failed)), ("remove done", .remove(.done)),
            ("remove 4711", .remove(.ids([4711]))), ("move 3 4 top", .move(.ids([3, 4]), .top)),
            ("pause 3-7 12", .pause(.numbers(UploadNumbers([3...7, 12...12])))),
            ("remove 1-1000000000", .remove(.numbers(UploadNumbers([1...1_000_000_000])))),
            ("move 3-7 top", .move(.numbers(UploadNumbers([3...7])), .top)),
            ("limit 20M", .limit(.atMost(20 << 20), .total)),
            ("limit 1.5 MB/s", .limit(.atMost(1_572_864), .total)), ("limit", .limits),
            ("limit 1 M to my films", .limit(.atMost(1 << 20), .destination("my films"))),
            ("limit auto BATCH to", .limit(nil, .batch("to"))),
            ("limit off", .limit(.unlimited, .total)),
            ("parallel 4", .parallel(4)), ("now", .now), ("undo", .undo),
            ("redo", .redo), ("quit", .quit), ("detach", .detach), ("d", .detach),
        ] as [(String, PlainCommand)])
    func `a line is a command`(line: String, command: PlainCommand) throws {
        #expect(try PlainCommand.parse(line) == command)
    }

    @Test(
        arguments: [
            ("q", .quit), ("h", .help), ("pau 3", .pause(.ids([3]))), ("par 2", .parallel(2)),
            ("ret failed", .retry(.failed)), ("m 3 up", .move(.ids([3]), .up)), ("n", .now),
        ] as [(String, PlainCommand)])
    func `a word may be cut short as long as it is clear`(line: String, command: PlainCommand) throws {
        #expect(try PlainCommand.parse(line) == command)
    }

    @Test(arguments: ["", "   ", "\t"])
    func `a line without words is nothing`(line: String) throws {
        #expect(try PlainCommand.parse(line) == nil)
    }

    @Test(
        arguments: [
            ("fly 3", "there is no command 'fly'; help lists them"),
            ("Pasue 3", "there is no command 'Pasue' (did you mean `pause`?); help lists them"),
            ("re 3", "'re' could be resume or retry or remove or redo"),
            ("pause", "pause which ones? pause N...|all"),
            ("pause three", "'three' is not the number of an upload; pause N...|all"),
            ("pause -1", "'-1' is not the number of an upload; pause N...|all"),
            ("pause 7-3", "'7-3' runs backwards: 3-7 is meant; pause N...|all"),
            ("pause 3-", "'3-' is not the number of an upload; pause N...|all"),
            ("pause 3-4-5", "'3-4-5' is not the number of an upload; pause N...|all"),
            (
                "pause 1-99999999999999999999",
                "'1-99999999999999999999' is not the number of an upload; pause N...|all"
            ),
            ("retry all", "'all' is not the number of an upload; retry N...|failed"),
            ("move 3", "move where to? move N... up|down|top|bottom"),
            ("move up", "move which ones? move N... up|down|top|bottom"),
            ("limit to films", "how much? limit [20M|off|auto] [to DESTINATION|batch NAME]"),
            ("limit 1M to", "which one? limit [20M|off|auto] [to DESTINATION|batch NAME]"),
            ("limit 0", "'0' is not an amount; limit 20M, limit 800K, limit off or limit auto"),
            ("limit lots", "'lots' is not an amount; limit 20M, limit 800K, limit off or limit auto"),
            ("parallel none", "how many at once? parallel 4"), ("parallel 0", "how many at once? parallel 4"),
            ("add", "add what? add PATH... [to DESTINATION]"),
            ("add to photos", "add what? add PATH... [to DESTINATION]"),
        ])
    func `an invalid line is refused with a valid example`(line: String, text: String) {
        #expect(throws: PlainCommandError(text)) { try PlainCommand.parse(line) }
    }

    @Test func `a filter that cannot be understood says why`() {
        #expect(throws: PlainCommandError.self) { try PlainCommand.parse("list state:nowhere") }
    }

    @Test(
        arguments: [
            ("add a.mov", "a.mov", nil), ("add a.mov b.mov to photos", "a.mov b.mov", "photos"),
            ("add 'to the sea.mov' to photos", "'to the sea.mov'", "photos"),
            ("add 'letter to mum'", "'letter to mum'", nil), ("add letter\\ to mum", "letter\\ to mum", nil),
            ("add a to https://h/f/", "a", "https://h/f/"), ("add to to to", "to", "to"),
        ])
    func `a destination stands behind the last to, outside quotes`(
        line: String, paths: String, destination: String?
    ) throws {
        guard case .add(let found, let place) = try PlainCommand.parse(line) else {
            Issue.record("\(line) adds nothing")
            return
        }
        #expect(found.split(separator: " ") == paths.split(separator: " "))
        #expect(place == destination)
    }

    @Test func `every command can be typed as the help writes it`() throws {
        for verb in PlainVerb.allCases {
            #expect(try PlainVerb(verb.usage.prefix { $0 != " " }) == verb)
        }
    }
}
