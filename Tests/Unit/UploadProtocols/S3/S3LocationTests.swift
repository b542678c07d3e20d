import Testing

@testable import FerryProtocols

struct S3LocationTests {
    @Test(
        arguments: [
            ("s3://photos/2026/", nil, nil, .auto, "https://photos.s3.amazonaws.com/2026/"),
            ("S3://photos", nil, "eu-west-1", .auto, "https://photos.s3.eu-west-1.amazonaws.com/"),
            ("s3://photos/", nil, "cn-north-1", .auto, "https://photos.s3.cn-north-1.amazonaws.com.cn/"),
            // The certificate of *.s3.amazonaws.com does not cover a name with two labels before it.
            ("s3://my.photos/a/", nil, "eu-west-1", .auto, "https://s3.eu-west-1.amazonaws.com/my.photos/a/"),
            ("s3://photos/a/", nil, nil, .path, "https://s3.amazonaws.com/photos/a/"),
            ("s3://photos/a/", "https://s3.example.org", nil, .auto, "https://s3.example.org/photos/a/"),
            ("s3://photos/a/", "http://127.0.0.1:9000/", nil, .auto, "http://127.0.0.1:9000/photos/a/"),
            ("s3://photos/a/", "https://h.example:8", "x", .auto, "https://h.example:8/photos/a/"),
            ("s3://photos/a/", "https://s3.example.org", nil, .host, "https://photos.s3.example.org/a/"),
            ("s3://my.photos/", "https://s3.example.org", nil, .host, "https://my.photos.s3.example.org/"),
            (
                "s3://photos/a b/é%20/{name}.x", "https://h.example", nil, .auto,
                "https://h.example/photos/a%20b/%C3%A9%20/{name}.x"
            ),
        ] as [(String, String?, String?, S3Location.Addressing, String)])
    func `a bucket and a key become an address`(
        location: String, endpoint: String?, region: String?, addressing: S3Location.Addressing, url: String
    ) throws {
        let place = try S3Location(location, endpoint: endpoint, region: region, addressing: addressing)
        #expect(place.url == url)
        #expect(UploadAddress.expectation(brokenBy: UploadAddress.address(place.url, for: "f")) == nil)
    }

    @Test func `the bucket that the protocol reads out of the address is the location's`() throws {
        for location in ["s3://photos/a/", "s3://my.photos/a/"] {
            for endpoint in [nil, "https://s3.example.org"] {
                let place = try S3Location(location, endpoint: endpoint)
                let options = S3Options(bucketInPath: place.isBucketInPath)
                let address = try S3Address(place.url, options: options)
                #expect(address.bucket == String(location.split(separator: "/")[1]))
            }
        }
    }

    @Test(arguments: [
        "", "s3:", "s3://", "s3:///a", "s3://a b/", "s3://-a/", "s3://a/?x", "s3://a/#x", "s3://u:p@a/",
        "s3://a:80/",
        "https://a/",
    ])
    func `an invalid location is refused with an example`(location: String) {
        let issue = #expect(throws: S3Location.Issue.self) { try S3Location(location) }
        #expect(issue?.expected.contains("s3://bucket/folder/") ?? false)
    }

    @Test(arguments: [
        "", "s3.example.org", "ftp://h/", "https://u@h/", "https://h/?x", "https://h/base/",
        "http+unix://%2Fa/",
    ])
    func `an invalid endpoint is reported as an endpoint`(endpoint: String) {
        let issue = #expect(throws: S3Location.Issue.self) {
            try S3Location("s3://a/", endpoint: endpoint)
        }
        #expect(issue?.isEndpoint ?? false)
    }

    @Test func `a bucket that no host can be called is not put into one`() {
        #expect(throws: S3Location.Issue.self) { try S3Location("s3://My_Bucket/", addressing: .host) }
        #expect((try? S3Location("s3://My_Bucket/"))?.isBucketInPath == true)
    }
}
