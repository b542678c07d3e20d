// Example: bearer
import Ferry

func makeSession(token: @escaping AuthorizationInterceptor.Value) throws -> Session {
    var configuration = Session.Configuration()
    configuration.interceptor = Interceptor(interceptors: [AuthorizationInterceptor.bearer(token)])
    return try Session(configuration)
}
// end
