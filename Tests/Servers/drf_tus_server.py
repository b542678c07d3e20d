"""A tus 1.0.0 server for tests that discards broken requests: drf-tus at http://127.0.0.1:PORT/files/.

usage: drf_tus_server.py PORT DIR

An unfinished upload is a file of DIR, a finished one is DIR/uploaded/FILENAME. Prints "ready PORT" once it listens;
port 0 takes a free one. Ends on SIGTERM.
"""

import pathlib
import signal
import socketserver
import sys
import tempfile
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import include, path

from listening import listen, place

urlpatterns = []


def configure(folder):
    settings.configure(
        ALLOWED_HOSTS=["*"],
        BASE_DIR=folder,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "uploads.sqlite"}},
        # A request's body is read into memory, and may be a whole file.
        DATA_UPLOAD_MAX_MEMORY_SIZE=None,
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "rest_framework_tus",
        ],
        MEDIA_ROOT=folder,
        MIDDLEWARE=["rest_framework_tus.middleware.TusMiddleware"],
        REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "DEFAULT_PERMISSION_CLASSES": []},
        ROOT_URLCONF=__name__,
        SECRET_KEY="of a test",
        USE_TZ=True,
    )
    django.setup()
    call_command("migrate", verbosity=0)
    urlpatterns.append(path("", include("rest_framework_tus.urls", namespace="rest_framework_tus")))


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, listener):
        super().__init__(listener.getsockname(), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = "127.0.0.1", place(listener)
        self.setup_environ()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    tempfile.tempdir = sys.argv[2]
    listener = listen(sys.argv[1])
    configure(pathlib.Path(sys.argv[2]))
    server = Server(listener)
    server.set_app(get_wsgi_application())
    print(f"ready {place(listener)}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
