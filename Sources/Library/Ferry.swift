// One import for a program that uploads: everything but the screen and the executable.
@_exported public import FerryConnectivity
@_exported public import FerryProtocols
@_exported public import FerryReceiver
@_exported public import FerryRequests
@_exported public import FerryTransfer
@_exported public import FerryUploads
