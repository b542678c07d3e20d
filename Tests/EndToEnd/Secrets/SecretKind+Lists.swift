import Foundation

extension SecretKind {
    /// The kinds whose secret a server can repeat in its responses.
    static let repeated: [SecretKind] = [
        SecretKind(
            name: "bearer token", members: #", "auth": { "bearer": "canary+bearer/1a2b3c4d=" }"#,
            secrets: ["canary+bearer/1a2b3c4d="]),
        SecretKind(
            name: "password",
            members: #", "auth": { "basic": { "user": "hanna", "password": "canary word 2b" } }"#,
            secrets: ["canary word 2b"]),
        SecretKind(
            name: "header X-Api-Key", members: #", "headers": { "X-Api-Key": "canary\"key\\3c" }"#,
            secrets: [#"canary"key\3c"#]),
        SecretKind(
            name: "header with an unusual name",
            members: #", "headers": { "X-Upload-Grant": "canary-grant-9d8c7b" }"#,
            secrets: ["canary-grant-9d8c7b"], isCutFromTextsOnly: true),
        SecretKind(
            name: "cookie", members: #", "headers": { "Cookie": "id=canary-cookie-4d; b=c" }"#,
            secrets: ["canary-cookie-4d"]),
        SecretKind(
            name: "signature in the query", path: "/box/?sv=2026&sig=canary%2Bsas%2F5e",
            secrets: ["canary+sas/5e"]),
        SecretKind(
            name: "session token of S3", protocolName: "s3", path: "/bucket/",
            members:
                #", "auth": { "s3": { "accessKey": "AK", "secretKey": "canary-secret-6f", "sessionToken": "canary-session-6f" } }"#,
            secrets: ["canary-session-6f", "canary-secret-6f"], hidden: ["canary-secret-6f"]),
        SecretKind(
            name: "OAuth tokens",
            members:
                #", "auth": { "oauth2": { "tokenURL": "SERVER/token?key=canary-address-7a", "clientID": "ferry", "clientSecret": "canary-client-7a", "refreshToken": "canary-refresh-7a" } }"#,
            secrets: [
                "canary-access-7a", "canary-address-7a", "canary-client-7a", "canary-refresh-7a",
                "canary-rotated-7a",
            ]),
        SecretKind(
            name: "OAuth tokens that are refused", path: "/box/",
            members:
                #", "auth": { "oauth2": { "tokenURL": "SERVER/refused", "clientID": "ferry", "clientSecret": "canary-client-7b", "clientAuthentication": "body", "refreshToken": "canary-refresh-7b" } }"#,
            secrets: ["canary-client-7b", "canary-refresh-7b"],
            hidden: ["canary-client-7b", "canary-refresh-7b"]),
        SecretKind(
            name: "form parameter", protocolName: "form",
            members: #", "field": "file", "parameters": { "token": "canary-form-8b" }"#,
            secrets: ["canary-form-8b"], isParameter: true),
        SecretKind(
            name: "password of the proxy",
            members: #", "proxy": { "url": "PROXY", "password": "canary-proxy-9c" }"#,
            secrets: ["canary-proxy-9c"]),
        SecretKind(
            name: "bearer token over tus", protocolName: "tus",
            members: #", "auth": { "bearer": "canary-tus-1d" }"#, secrets: ["canary-tus-1d"]),
        SecretKind(
            name: "bearer token over WebDAV", protocolName: "webdav",
            members: #", "auth": { "bearer": "canary-dav-2e" }"#, secrets: ["canary-dav-2e"]),
        SecretKind(
            name: "token of a file", members: #", "auth": { "bearer": { "file": "SECRETS/token" } }"#,
            secrets: ["canary-file-7e"], files: ["token": "canary-file-7e\n"]),
        SecretKind(
            name: "token of a command",
            members: #", "auth": { "bearer": { "command": ["cat", "SECRETS/token"] } }"#,
            secrets: ["canary-command-8f"], files: ["token": "canary-command-8f\n"]),
        SecretKind(
            name: "bearer token over resumable uploads", protocolName: "resumable",
            members: #", "auth": { "bearer": "canary-resumable-1a" }"#, secrets: ["canary-resumable-1a"]),
        SecretKind(
            name: "password over Nextcloud", protocolName: "nextcloud",
            path: "/remote.php/dav/files/hanna/",
            members: #", "auth": { "basic": { "user": "hanna", "password": "canary cloud 2b" } }"#,
            secrets: ["canary cloud 2b"]),
        SecretKind(
            name: "bearer token over Google", protocolName: "google",
            path: "/upload/storage/v1/b/bkt/o?uploadType=resumable",
            members: #", "auth": { "bearer": "canary-google-3c" }"#, secrets: ["canary-google-3c"]),
        SecretKind(
            name: "bearer token over Graph", protocolName: "graph",
            path: "/v1.0/me/drive/root:/in/{name}:/createUploadSession",
            members: #", "auth": { "bearer": "canary-graph-4d" }"#, secrets: ["canary-graph-4d"]),
        SecretKind(
            name: "signature over Azure", protocolName: "azure",
            path: "/container/in/?sv=2021-12-02&sig=canary%2Bazure%2F5e", secrets: ["canary+azure/5e"]),
    ]

    /// The kinds that a server takes.
    static let sent: [SecretKind] =
        repeated.filter { !$0.name.contains("refused") } + [
            SecretKind(
                name: "presigned address",
                path:
                    "/box/?X-Amz-Credential=canary-id-4a%2Fs3&X-Amz-Signature=canary5b5b5b5b5b5b&X-Amz-Expires=60",
                secrets: ["canary-id-4a/s3", "canary5b5b5b5b5b5b"]),
            SecretKind(
                name: "token of the environment",
                members: #", "auth": { "bearer": { "env": "CANARY_TOKEN" } }"#,
                secrets: ["canary-environment-3f"], environment: ["CANARY_TOKEN": "canary-environment-3f"]),
            SecretKind(
                name: "password by Digest",
                members: #", "auth": { "basic": { "user": "hanna", "password": "canary digest 5d" } }"#,
                secrets: ["canary digest 5d"], isDigest: true),
            SecretKind(
                name: "keys of S3 in the environment", protocolName: "s3", path: "/bucket/",
                members: #", "auth": { "s3": "default" }"#,
                secrets: ["canary-variable-2c", "canary-session-2c"],
                environment: [
                    "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "canary-variable-2c",
                    "AWS_SESSION_TOKEN": "canary-session-2c",
                ]),
            SecretKind(
                name: "profile of AWS", protocolName: "s3", path: "/bucket/",
                members: #", "auth": { "s3": { "profile": "work" } }"#,
                secrets: ["canary-profile-9a", "canary-session-9a"],
                files: [
                    "credentials": """
                    [work]
                    aws_access_key_id = AK
                    aws_secret_access_key = canary-profile-9a
                    aws_session_token = canary-session-9a

                    """
                ], environment: awsFiles),
            SecretKind(
                name: "process of a profile of AWS", protocolName: "s3", path: "/bucket/",
                members: #", "auth": { "s3": { "profile": "work" } }"#,
                secrets: ["canary-process-1b", "canary-session-1b"],
                files: [
                    "credentials": "[work]\ncredential_process = cat SECRETS/keys\n",
                    "keys": """
                    { "Version": 1, "AccessKeyId": "AK", "SecretAccessKey": "canary-process-1b",
                      "SessionToken": "canary-session-1b" }
                    """,
                ], environment: awsFiles),
        ]

    /// The kinds of sign-in and place for which each end of an upload is provoked: those of the protocols that
    /// `SecretEndServer` has, with the secret itself in the configuration.
    static let atEachEnd = sent.filter {
        ["put", "form", "s3", "azure"].contains($0.protocolName) && $0.files.isEmpty && $0.environment.isEmpty
    }

    /// The secrets that go to a server for tokens that gives none.
    static let failingSignIn = SecretKind(
        name: "OAuth tokens that are not given",
        members:
            #", "auth": { "oauth2": { "tokenURL": "SERVER/failing?key=canary-address-7c", "clientID": "ferry", "clientSecret": "canary-client-7c", "clientAuthentication": "body", "refreshToken": "canary-refresh-7c" } }"#,
        secrets: ["canary-address-7c", "canary-client-7c", "canary-refresh-7c"])

    private static let awsFiles = [
        "AWS_SHARED_CREDENTIALS_FILE": "SECRETS/credentials", "AWS_CONFIG_FILE": "SECRETS/config",
    ]
}
