// The module `Ferry` re-exports the modules of the library, so that a program needs one import. Only the modules of the
// screen and of the executable are left out.
@_exported public import FerryConnectivity
@_exported public import FerryProtocols
@_exported public import FerryReceiver
@_exported public import FerryRequests
@_exported public import FerryTransfer
@_exported public import FerryUploads
