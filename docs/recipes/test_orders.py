"""Tests a client of the conversation-analytics service against convsim: python3 -m unittest test_orders"""

import json
import os
import re
import subprocess
import time
import unittest
from urllib.error import HTTPError
from urllib.request import Request, urlopen

CONVSIM = os.environ.get("CONVSIM", "node_modules/.bin/convsim")
JSON = {"Content-Type": "application/json"}


# The client under test. In your project, import your own client instead.
def record_order(base_url, api_key, order):
    event = {"eventType": "purchase", "productId": "00000000-0000-4000-9000-000000000002", "value": "149.00",
             "valueType": "currency", "insertId": order, "externalConversationId": f"chat-of-{order}"}
    headers = {"Authorization": f"Bearer {api_key}", **JSON}
    for attempt in range(3):
        try:
            return send("POST", f"{base_url}/events", event, headers)
        except HTTPError as error:
            if error.code not in (429, 503) or attempt == 2:
                raise
            time.sleep(float(error.headers["Retry-After"]))


def send(method, url, body=None, headers=JSON):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method=method), timeout=10) as response:
        return response.read().decode()


def setUpModule():
    """Uses the simulator that CI started, or starts one on a free port."""
    global process, base_url, control_url
    process = None
    base_url, control_url = os.environ.get("CONVSIM_BASE_URL"), os.environ.get("CONVSIM_CONTROL_URL")
    if base_url and control_url:
        return
    process = subprocess.Popen([CONVSIM, "--port", "0", "--state", ":memory:", "--log-level", "warn"],
                               stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()  # the only line on stdout, printed when the simulator is ready
    listening = re.search(r"is listening on (http://[^\s\"]+)", line)
    if not listening:
        raise RuntimeError("convsim did not start; see its output above")
    origin = listening.group(1)
    base_url, control_url = f"{origin}/v1", f"{origin}/__sim"


def tearDownModule():
    if process:
        process.terminate()
        process.wait()
        process.stdout.close()


class Orders(unittest.TestCase):
    def setUp(self):
        self.sandbox = self._testMethodName  # each test has its own sandbox
        self.control("POST", "/reset")
        self.addCleanup(self.expect_no_findings)

    def control(self, method, path, body=None):
        separator = "&" if "?" in path else "?"
        try:
            return send(method, f"{control_url}{path}{separator}sandbox={self.sandbox}", body)
        except HTTPError as error:  # such as 417 for an unmet expectation; the body contains the reason
            reason = error.read().decode()
        self.fail(reason)

    def record(self, order):
        return record_order(base_url, f"any-key~{self.sandbox}", order)  # the key names the sandbox

    def expect_no_findings(self):
        """Fails the test if a request broke the contract, was refused unexpectedly, or broke a retry rule."""
        self.control("GET", "/report?format=text&failOn=violation,unexpected,retry")

    def test_an_order_is_recorded_once(self):
        self.record("order-1")
        self.control("POST", "/verify", {
            "operation": "createEvent", "match": {"body": {"/insertId": "order-1"}}, "count": {"exactly": 1}})

    def test_an_order_is_sent_again_when_the_service_is_unavailable(self):
        self.control("PUT", "/scenarios", {
            "rules": [{"operation": "createEvent", "scenario": "unavailable;retry-after=1", "times": 1}]})
        self.record("order-2")
        self.control("POST", "/verify", {
            "operation": "createEvent", "match": {"body": {"/insertId": "order-2"}}, "count": {"exactly": 2}})


if __name__ == "__main__":
    unittest.main()
