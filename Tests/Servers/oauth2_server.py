"""An OAuth 2 token server and a protected store for tests: Authlib at http://127.0.0.1:PORT/.

usage: oauth2_server.py PORT DIR

POST /token gives the client "ferry" (secret "client-secret") an access token of 2 seconds, or of as many as a file
DIR/lifetime says, for a refresh token, and replaces the refresh token; the first one is "first-token". PUT /files/NAME with
an access token stores the body in DIR/NAME. When DIR/revoke exists, the access tokens issued so far become invalid, and the
file is removed.
DIR/log has a line for each request: "refresh", "reused" (a refresh token that was replaced), "stored" or "refused".
Prints "ready PORT" once it listens; port 0 takes a free one. Ends on SIGTERM.
"""

import os
import pathlib
import secrets
import sys
import threading
import time

# Authlib otherwise refuses to issue tokens over plain HTTP.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from flask import Flask, request
from werkzeug.serving import WSGIRequestHandler, make_server

from listening import listen


def lifetime():
    file = pathlib.Path(sys.argv[2], "lifetime")
    return int(file.read_text()) if file.exists() else 2


class QuietHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type, message, *args):
        pass


class Client(ClientMixin):
    def get_client_id(self):
        return "ferry"

    def get_allowed_scope(self, scope):
        return scope

    def check_client_secret(self, client_secret):
        return secrets.compare_digest(client_secret, "client-secret")

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "client_secret_basic"

    def check_grant_type(self, grant_type):
        return grant_type == "refresh_token"


class Token(TokenMixin):
    def __init__(self, access_token):
        self.access_token = access_token
        self.expires = time.monotonic() + lifetime()

    def check_client(self, client):
        return True

    def get_scope(self):
        return "files"

    def get_expires_in(self):
        return lifetime()

    def is_expired(self):
        return time.monotonic() >= self.expires

    def is_revoked(self):
        return False

    def get_user(self):
        return "me"

    def get_client(self):
        return Client()


class Store:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.lock = threading.Lock()
        self.access = {}
        self.refresh = "first-token"
        self.replaced = set()

    def note(self, text):
        with open(self.directory / "log", "a", encoding="utf-8") as log:
            log.write(text + "\n")

    def revoke(self):
        mark = self.directory / "revoke"
        if mark.exists():
            mark.unlink()
            self.access.clear()


def application(store):
    app = Flask(__name__)

    def save_token(token, request):
        token["expires_in"] = lifetime()
        store.access[token["access_token"]] = Token(token["access_token"])
        store.replaced.add(store.refresh)
        store.refresh = token["refresh_token"]
        store.note("refresh")

    class RefreshTokenGrant(grants.RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic"]
        INCLUDE_NEW_REFRESH_TOKEN = True

        def authenticate_refresh_token(self, refresh_token):
            if refresh_token == store.refresh:
                return Token("")
            store.note("reused" if refresh_token in store.replaced else "unknown")
            return None

        def authenticate_user(self, refresh_token):
            return "me"

        def revoke_old_credential(self, refresh_token):
            pass

    class Validator(BearerTokenValidator):
        def authenticate_token(self, token_string):
            return store.access.get(token_string)

    app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
    app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"refresh_token": lifetime()}
    server = AuthorizationServer(
        app, query_client=lambda name: Client() if name == "ferry" else None, save_token=save_token
    )
    server.register_grant(RefreshTokenGrant)
    protector = ResourceProtector()
    protector.register_token_validator(Validator())

    @app.post("/token")
    def token():
        with store.lock:
            return server.create_token_response()

    @app.put("/files/<name>")
    def put(name):
        with store.lock:
            store.revoke()
        try:
            protector.acquire_token()
        except OAuth2Error as error:
            store.note("refused")
            protector.raise_error_response(error)
        (store.directory / name).write_bytes(request.get_data())
        store.note("stored")
        return "", 201

    return app


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    listener = listen(int(sys.argv[1]))
    port = listener.getsockname()[1]
    app = application(Store(sys.argv[2]))
    server = make_server(
        "127.0.0.1", port, app, threaded=True, request_handler=QuietHandler, fd=listener.fileno()
    )
    print(f"ready {port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
