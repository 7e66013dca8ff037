"""Runs moto's server with one request at a time; the argument is its port.

Its own program takes several at once, looks whether an object is there and writes it in two
steps: both of two clients could get the answer that they wrote it first, which S3 never does.
"""

import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple


class OneAtATime:
    def __init__(self, application):
        self.application = application
        self.turn = threading.Lock()

    def __call__(self, environ, start_response):
        with self.turn:
            return list(self.application(environ, start_response))


if __name__ == "__main__":
    run_simple("127.0.0.1", int(sys.argv[1]),
               OneAtATime(DomainDispatcherApplication(create_backend_app)), threaded=True)
