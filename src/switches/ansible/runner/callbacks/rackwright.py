"""Keeps what tasks came to for the runner, and prints nothing."""

from ansible.plugins.callback import CallbackBase
from rackwright_runner import EVENTS

DOCUMENTATION = """
    name: rackwright
    type: stdout
    short_description: keeps results for the runner
    description: Keeps results for the runner and prints nothing.
"""

KEPT = ("printed", "stdout", "stderr", "msg", "rc", "changed", "response", "exception")


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "rackwright"

    def _keep(self, status, result):
        seen = {name: value for name, value in dict(result.result).items() if name in KEPT}
        EVENTS.append({"name": str(result.task.name), "status": status, "result": seen})

    def v2_runner_on_ok(self, result):
        self._keep("ok", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._keep("ok" if ignore_errors else "failed", result)

    def v2_runner_on_unreachable(self, result):
        self._keep("unreachable", result)
