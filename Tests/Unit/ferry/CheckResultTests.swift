import FerryProtocols
import FerryTestSupport
import FerryUploads
import Testing

@testable import FerryCommand

struct CheckResultTests {
    @Test(arguments: [
        ("in/a b.mov", "https://box.example/in/a%20%20b.mov?uploadId=7", "a  b.mov", true),
        ("in/….mov", "https://box.example/in/holidays.mov?uploadId=7", "holidays.mov", true),
        ("a b.mov", "https://box.example/.a%20b.mov.part-ferry-1-1-1", "a  b.mov", true),
        ("in/….mov", "https://box.example/in/holidays.mov?uploadId=7", "days.mov", false),
    ])
    func `a leftover is an upload's of the queue by its name, also if that is shown in another way`(
        shown: String, url: String, name: String, isOwn: Bool
    ) {
        var upload = Upload.boxed(1)
        upload.target.name = name
        var result = CheckResult(
            destination: Destination(name: "box", url: "https://box.example/", protocolName: "s3"))
        let found = CheckReport.Leftover(name: shown, resource: UploadResource(url: url))
        result.leftovers = [CheckResult.Leftover(found)]
        result.markOwn([upload])
        #expect(result.leftovers[0].isRemovable(notYoungerThan: nil, now: upload.added) == !isOwn)
    }
}
