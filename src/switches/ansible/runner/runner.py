"""Runs Ansible plays against switches, one JSON object per line in and out, for as long as stdin is open.

Ansible takes more than a second to load, so it is loaded once; each order then runs in a fork of this process, which
starts clean and can be killed. An order on stdin:

    {"id": 1, "host": "192.0.2.1", "port": 22, "user": "...", "password": "...", "privateKey": "...", "knownHosts": "...",
     "timeoutSeconds": 60, "vars": {...}, "tasks": [{"name": "...", "module": "...", "args": {...}},
                                                    {"name": "...", "role": "conf_access_port", "vars": {...}}]}

The answer: {"id": 1, "results": [{"name": "...", "status": "ok|failed|unreachable", "result": {...}}]} or
{"id": 1, "error": "..."}. Secrets come by stdin only, are written nowhere but to files that only the owner can read and
that are gone with the order, and are blotted out of every answer. Nothing that comes by stdin is taken for a template:
Ansible trusts only what it reads from the files of roles.
"""

import json
import os
import selectors
import shutil
import signal
import sys
import sysconfig
import tempfile
import time

sys.modules["rackwright_runner"] = sys.modules[__name__]

# What the callback plugin saw, in the process of one order.
EVENTS = []
MAX_PARALLEL = int(os.environ.get("RACKWRIGHT_RUNNER_PARALLEL", "4"))


def own_roles():
    """Where pip may have put the role of network-runner for this interpreter, and where it is by hand."""
    folders = (sysconfig.get_path("purelib"), sys.prefix, os.path.join(sys.prefix, "local"), "/")
    return ":".join(os.path.join(folder, "etc", "ansible", "roles") for folder in folders)


def load_ansible():
    # Read once, when it is loaded.
    os.environ.setdefault("ANSIBLE_ROLES_PATH", own_roles())
    from ansible import context
    from ansible.module_utils.common.collections import ImmutableDict

    context.CLIARGS = ImmutableDict(
        become=None, become_ask_pass=False, become_method=None, become_user=None, check=False, connection="ssh",
        diff=False, forks=1, module_path=None, remote_user=None, start_at_task=None, syntax=False, verbosity=0,
        tags=("all",), skip_tags=(),
    )
    from ansible.plugins.loader import init_plugin_loader

    init_plugin_loader()
    # Loaded before the first fork, so that no fork has to.
    import ansible.executor.module_common  # noqa: F401
    import ansible.executor.task_executor  # noqa: F401
    import ansible.executor.task_queue_manager  # noqa: F401
    import ansible.modules.command  # noqa: F401
    import ansible.playbook.play  # noqa: F401
    import ansible.plugins.action.command  # noqa: F401
    import ansible.plugins.connection.ssh  # noqa: F401
    import ansible.plugins.strategy.linear  # noqa: F401


def private_file(folder, name, text):
    path = os.path.join(folder, name)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(text if text.endswith("\n") else text + "\n")
    return path


def variables_of(order, folder):
    ssh_folder = os.path.join(folder, ".ssh")
    os.mkdir(ssh_folder, 0o700)
    is_checked = order.get("knownHosts") is not None
    known = private_file(ssh_folder, "known_hosts", order.get("knownHosts") or "")
    # A shared master connection would let a wrong password in for as long as a right one holds it open.
    ssh_words = [
        "-o", "ControlMaster=no", "-o", "ControlPath=none", "-o", "UserKnownHostsFile=" + known,
        "-o", "GlobalKnownHostsFile=/dev/null", "-o", "StrictHostKeyChecking=" + ("yes" if is_checked else "no"),
        "-o", "UpdateHostKeys=no", "-o", "LogLevel=ERROR",
    ]
    variables = {
        "ansible_host": order["host"],
        "ansible_port": order["port"],
        "ansible_user": order["user"],
        "ansible_ssh_args": " ".join(ssh_words),
        "ansible_host_key_checking": is_checked,
        "ansible_ssh_host_key_checking": is_checked,
        "ansible_ssh_retries": 0,
        **order.get("vars", {}),
    }
    if order.get("password") is not None:
        variables["ansible_password"] = order["password"]
    if order.get("privateKey") is not None:
        variables["ansible_ssh_private_key_file"] = private_file(folder, "key", order["privateKey"])
    return variables


def play_of(order):
    tasks = []
    for task in order["tasks"]:
        made = {"name": task["name"]}
        if "role" in task:
            made["import_role"] = {"name": "network-runner", "tasks_from": task["role"]}
            made["vars"] = task.get("vars", {})
        elif "meta" in task:
            made["meta"] = task["meta"]
        else:
            made["action"] = {"module": task["module"], **task.get("args", {})}
        made.update(task.get("keywords", {}))
        tasks.append(made)
    return {"name": "order", "hosts": "switch", "gather_facts": False, "any_errors_fatal": True, "tasks": tasks}


def run_play(order, folder):
    from ansible import constants
    from ansible.executor.task_queue_manager import TaskQueueManager
    from ansible.inventory.manager import InventoryManager
    from ansible.parsing.dataloader import DataLoader
    from ansible.playbook.play import Play
    from ansible.vars.manager import VariableManager

    constants.PERSISTENT_CONTROL_PATH_DIR = os.environ["ANSIBLE_PERSISTENT_CONTROL_PATH_DIR"] = os.path.join(folder, "pc")
    loader = DataLoader()
    loader.set_basedir(folder)
    inventory = InventoryManager(loader=loader, sources="switch,")
    host = inventory.get_host("switch")
    for name, value in variables_of(order, folder).items():
        host.set_variable(name, value)
    manager = VariableManager(loader=loader, inventory=inventory)
    play = Play().load(play_of(order), variable_manager=manager, loader=loader)
    queue = TaskQueueManager(
        inventory=inventory, variable_manager=manager, loader=loader, passwords={}, stdout_callback_name="rackwright", forks=1
    )
    try:
        queue.load_callbacks()
        queue.run(play)
    finally:
        queue.cleanup()


def blot(text, order):
    for secret in (order.get("password"), order.get("privateKey")):
        for form in {secret, json.dumps(secret)[1:-1]} if secret else ():
            text = text.replace(form, "***")
    return text


def answer_of(order):
    folder = tempfile.mkdtemp(prefix="o")
    os.environ["HOME"] = folder
    try:
        run_play(order, folder)
        answer = {"results": EVENTS}
    except BaseException as error:  # noqa: BLE001: whatever it is, the caller must hear of it
        answer = {"error": type(error).__name__ + ": " + str(error)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return blot(json.dumps({"id": order["id"], **answer}, default=str), order)


class Work:
    """One order under way in a fork."""

    def __init__(self, order):
        self.order = order
        self.deadline = time.monotonic() + order["timeoutSeconds"]
        self.text = b""
        self.reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.reader)
            self._work(writer)
        os.close(writer)

    def _work(self, writer):
        try:
            # A session of its own, so that it can be killed with all that Ansible starts.
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            text = answer_of(self.order).encode()
            while text:
                text = text[os.write(writer, text):]
        finally:
            os._exit(0)

    def kill(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def end(self):
        os.close(self.reader)
        self.kill()
        os.waitpid(self.pid, 0)


def tell(text):
    sys.__stdout__.write(text + "\n")
    sys.__stdout__.flush()


def serve():
    chosen = selectors.DefaultSelector()
    chosen.register(0, selectors.EVENT_READ)
    waiting, working, pending, is_open = [], {}, b"", True
    while is_open or waiting or working:
        while waiting and len(working) < MAX_PARALLEL:
            work = Work(waiting.pop(0))
            working[work.reader] = work
            chosen.register(work.reader, selectors.EVENT_READ)
        for key, _ in chosen.select(timeout=0.5 if working else None):
            chunk = os.read(key.fd, 65536)
            if key.fd == 0:
                is_open = bool(chunk)
                if not is_open:
                    return [work.end() for work in working.values()]
                pending += chunk
                *lines, pending = pending.split(b"\n")
                waiting.extend(json.loads(line) for line in lines if line)
                cancel(waiting, working)
            elif chunk:
                working[key.fd].text += chunk
            else:
                finish(chosen, working, key.fd)
        for work in working.values():
            if time.monotonic() > work.deadline:
                work.kill()


def cancel(waiting, working):
    """Orders of the form {"cancel": id} end what they name."""
    for order in [each for each in waiting if "cancel" in each]:
        waiting.remove(order)
        waiting[:] = [each for each in waiting if each.get("id") != order["cancel"]]
        for work in working.values():
            if work.order["id"] == order["cancel"]:
                work.kill()


def finish(chosen, working, descriptor):
    work = working.pop(descriptor)
    chosen.unregister(descriptor)
    work.end()
    tell(work.text.decode() or json.dumps({"id": work.order["id"], "error": "the run was ended before it was over"}))


if __name__ == "__main__":
    load_ansible()
    tell(json.dumps({"ready": True}))
    serve()
