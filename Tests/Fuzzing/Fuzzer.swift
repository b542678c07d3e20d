import Foundation

/// The surface that `FERRY_FUZZ_SURFACE` names.
private let chosen: FuzzSurface = {
    let name = ProcessInfo.processInfo.environment["FERRY_FUZZ_SURFACE"]
    guard let surface = fuzzSurfaces.first(where: { $0.name == name }) else {
        fatalError("FERRY_FUZZ_SURFACE names no surface")
    }
    return surface
}()

/// Runs one input. libFuzzer calls it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    chosen.run(FuzzBytes(Array(UnsafeBufferPointer(start: bytes, count: count))))
    return 0
}
