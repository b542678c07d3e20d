import FerryProtocols
import FerryUploads
import Foundation

@testable import FerryCommand

extension FuzzSurface {
    /// Configurations, themes and profiles.
    static let configuration = FuzzSurface("configuration") { input in
        let data = Data(input.all)
        do throws(UploadFailure) {
            let configuration = try ConfigurationFile.parse(data, file: "config.json")
            promise(ConfigurationFile.syntaxError(in: data) == nil, "what is no JSON is accepted")
            _ = configuration.trustedFiles
        } catch {
            promise(!error.summary.isEmpty)
        }
        let _: ThemeFile? = try? ConfigurationFile.decode(data, file: "theme", example: "")
        if let error = ConfigurationFile.syntaxError(in: data) { promise(!error.text(in: data).isEmpty) }
        _ = AWSProfiles.parse(input.text)
    }

    /// Lines on the control socket, as read by the engine and by its clients.
    static let control = FuzzSurface("control") { input in
        let data = Data(input.all)
        let decoder = JSONDecoder()
        _ = try? decoder.decode(ControlSocket.Greeting.self, from: data)
        if let request = try? decoder.decode(ControlSocket.Request.self, from: data) {
            let again = try? JSONEncoder().encode(request)
            promise(again.map { (try? decoder.decode(ControlSocket.Request.self, from: $0)) != nil } ?? true)
        }
        _ = try? decoder.decode(ControlSocket.Response.self, from: data)
        var records = UpdateLines.RecordReader()
        for line in input.all.split(separator: 0x0A) {
            _ = try? UpdateLines.head(line)
            _ = Array(line).withUnsafeBufferPointer { try? records.upload($0) }
        }
    }
}
