import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// The cases of the vectors: the values of a header field and their meanings; null where the field is ignored.
private struct FieldCases: Decodable {
    struct Case<Value: Decodable>: Decodable {
        var text: String
        var value: Value?

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            text = try container.decode(String.self)
            value = try container.decodeIfPresent(Value.self)
        }
    }

    var uploadComplete: [Case<Bool>]
    var uploadOffset: [Case<ByteCount>]
    var uploadLimit: [Case<[String: ByteCount]>]
}

struct ResumableFieldTests {
    private let cases: FieldCases

    init() throws { cases = try vectors("resumable-fields") }

    @Test func `a structured field may have 1 KiB`() {
        let plain = "?1" + String(repeating: " ", count: 1022)
        #expect(StructuredField.boolean(plain) == true)
        #expect(StructuredField.boolean(plain + " ") == nil)
        #expect(StructuredField.counts("a=1" + String(repeating: " ", count: 1021), of: ["a"]) == ["a": 1])
        #expect(StructuredField.counts("a=1" + String(repeating: " ", count: 1022), of: ["a"]) == nil)
    }

    @Test func `Upload-Complete is a Boolean or nothing`() {
        for one in cases.uploadComplete {
            #expect(StructuredField.boolean(one.text) == one.value, "\(one.text)")
        }
    }

    @Test func `P6 Upload-Offset is a count or nothing`() {
        for one in cases.uploadOffset { #expect(StructuredField.count(one.text) == one.value, "\(one.text)") }
    }

    @Test func `Upload-Limit is a dictionary of counts or nothing`() {
        for one in cases.uploadLimit {
            let limit = UploadLimit(one.text).map { limit in
                let members: [String: ByteCount?] = [
                    "max-size": limit.maximumSize, "min-size": limit.minimumSize, "max-age": limit.age,
                    "max-append-size": limit.maximumAppend, "min-append-size": limit.minimumAppend,
                ]
                return members.compactMapValues { $0 }
            }
            #expect(limit == one.value, "\(one.text)")
        }
    }

    @Test func `an older version's limit has another key for when the upload expires`() {
        #expect(UploadLimit("expires=30", version: .six)?.age == 30)
        #expect(UploadLimit(age: 30).header(.six) == "min-size=0, expires=30")
        #expect(
            UploadLimit(maximumSize: .max, age: 30).header()
                == "min-size=0, max-size=999999999999999, max-age=30")
    }

    @Test(arguments: [
        (10, 100, UploadLimit(), 10), (100, 30, UploadLimit(), 30),
        (100, 30, UploadLimit(maximumAppend: 20), 20), (100, 30, UploadLimit(minimumAppend: 50), 50),
        (40, 30, UploadLimit(minimumAppend: 50), 40), (100, 30, UploadLimit(maximumAppend: 0), 30),
        (100, 30, UploadLimit(maximumAppend: 10, minimumAppend: 50), 10), (100, 0, UploadLimit(), 1),
        (0, 30, UploadLimit(minimumAppend: 50), 0), (.max, .max, UploadLimit(maximumAppend: 7), 7),
    ])
    func `an append is as large as is wished and allowed`(
        left: ByteCount, wish: ByteCount, limit: UploadLimit, size: ByteCount
    ) {
        #expect(limit.appendSize(left: left, wish: wish) == size)
    }

    @Test(arguments: [
        ("a b.txt", "inline; filename=\"a b.txt\""),
        ("ü\".txt", "inline; filename=\"__.txt\"; filename*=UTF-8''%C3%BC%22.txt"),
        ("a\r\nb", "inline; filename=\"a__b\"; filename*=UTF-8''a%0D%0Ab"),
        ("a\\b", "inline; filename=\"a_b\"; filename*=UTF-8''a%5Cb"),
    ])
    func `a name is written so that no reader can misread it, and read back`(name: String, field: String) {
        #expect(ContentDisposition.inline(filename: name) == field)
        #expect(ContentDisposition.filename(in: field) == name)
    }

    @Test(arguments: [
        ("attachment; filename=\"x.txt\"; filename*=iso-8859-1''y", "x.txt"),
        ("attachment; filename=\"x.txt\"; filename*=UTF-8''%ff", "x.txt"),
        ("attachment; filename=\"\"", nil), ("attachment", nil), ("", nil),
        ("form-data; filename*=utf-8'de'%e2%82%ac", "€"),
    ])
    func `a name that cannot be read in full is read in part`(field: String, name: String?) {
        #expect(ContentDisposition.filename(in: field) == name)
    }
}
