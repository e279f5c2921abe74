"""A small command line like that of Arista EOS or Cisco NX-OS over SSH: VLANs, ports, access lists, configuration sessions.

It proves what our side sends and reads through Ansible's own modules, not what the system does with it.
Usage: fake-cli.py eos|nxos PORT HOST_KEY_FILE USER PASSWORD_FILE PORT_NAME...
"""

import copy
import json
import re
import socket
import sys
import threading

import paramiko

PROMPT = "leaf1"
IS_NXOS = sys.argv[1] == "nxos"
SETTINGS = (
    "switchport mode", "switchport access vlan", "switchport trunk native vlan", "switchport trunk allowed vlan",
    "ip access-group", "ipv6 access-group", "ip port access-group", "ipv6 port traffic-filter",
)
DEFAULTS = ("switchport mode access", "switchport access vlan 1")
BLOCKS = re.compile(r"^(interface|vlan|ip access-list|ipv6 access-list) ")


class Switch:
    def __init__(self, ports):
        self.blocks = {"interface " + port: {} for port in ports}
        self.lock = threading.Lock()


class Shell:
    def __init__(self, switch):
        self.switch, self.session, self.name, self.mode = switch, None, None, None

    def prompt(self):
        if self.session is None:
            return PROMPT + "#"
        return PROMPT + "(config-s-" + self.name[:6] + ("-if" if self.mode else "") + ")#"

    def run(self, line):
        if self.session is not None:
            return self.configure(line)
        if line.startswith("configure session"):
            self.name, self.session, self.mode = line.split()[-1], copy.deepcopy(self.switch.blocks), None
            return ""
        if line == "show running-config":
            return show(self.switch.blocks)
        if line.startswith("show version"):
            return json.dumps({"version": "4.30.1F", "modelName": "vEOS"}) if "json" in line else "Arista vEOS\nSoftware image version: 4.30.1F"
        if line.startswith("show lldp neighbors detail"):
            heard = {"chassisIdType": "macAddress", "chassisId": "5254.00aa.0001", "systemName": "h1",
                     "neighborInterfaceInfo": {"interfaceIdType": "interfaceName", "interfaceId": '"eno1"', "interfaceId_v2": "eno1"}}
            return json.dumps({"lldpNeighbors": {"Ethernet1": {"lldpNeighborInfo": [heard]}}})
        if line.startswith("show hostname"):
            return json.dumps({"hostname": PROMPT, "fqdn": PROMPT})
        if line.startswith("show privilege"):
            return "Current privilege level is 15"
        if line.startswith("show configuration sessions"):
            return "Maximum number of completed sessions: 1"
        return ""

    def configure(self, line):
        if line in ("commit", "abort", "end"):
            if line == "commit":
                self.switch.blocks = self.session
            self.session = None
            return ""
        if line.startswith("show session-config"):
            return "" if self.session == self.switch.blocks else "+ changed"
        if line == "rollback clean-config":
            return ""
        return self.enter(line)

    def enter(self, line):
        gone = re.match(r"^no ((?:ip|ipv6) access-list .*)$", line)
        if gone:
            self.session.pop(gone.group(1), None)
            self.mode = None
        elif BLOCKS.match(line):
            if line.startswith("interface") and line not in self.session:
                return "% Invalid input"
            self.session.setdefault(line, {})
            self.mode = line
        elif self.mode:
            put(self.session[self.mode], line)
        return ""


class NxosShell(Shell):
    """Each line counts at once; there is no session."""

    def prompt(self):
        if self.session is None:
            return PROMPT + "#"
        return PROMPT + ("(config-if)#" if self.mode else "(config)#")

    def run(self, line):
        if self.session is not None:
            if line == "end":
                self.session = None
                return ""
            return self.enter(line)
        if line == "configure terminal":
            self.session, self.mode = self.switch.blocks, None
            return "Enter configuration commands, one per line. End with CNTL/Z."
        if line == "show running-config":
            return show(self.switch.blocks)
        if line.startswith("show running-config all"):
            return "no system default switchport\nno system default switchport shutdown"
        if line.startswith("show version"):
            return "Cisco Nexus Operating System (NX-OS) Software\n  NXOS: version 9.3(9)\n  Device name: " + PROMPT
        if line.startswith("show inventory"):
            return 'NAME: "Chassis",  DESCR: "Nexus9000 Chassis"\nPID: N9K-C93180YC-EX'
        return "" if line.startswith("terminal ") else "% Invalid command at '^' marker."


def put(block, line):
    bare = re.sub(r"^no ", "", line)
    key = next((setting for setting in SETTINGS if bare.startswith(setting)), bare)
    if line.startswith("no ") or line in DEFAULTS or (line == "switchport" and not IS_NXOS):
        block.pop(key, None)
    else:
        block[key] = line


def show(blocks):
    return "\n".join("\n".join([header, *("   " + line for line in lines.values()), "!"]) for header, lines in blocks.items())


class Door(paramiko.ServerInterface):
    def __init__(self, user, password):
        self.user, self.password = user, password

    def check_auth_password(self, user, password):
        return paramiko.AUTH_SUCCESSFUL if (user, password) == (self.user, self.password) else paramiko.AUTH_FAILED

    def get_allowed_auths(self, user):
        return "password"

    def check_channel_request(self, kind, number):
        return paramiko.OPEN_SUCCEEDED

    def check_channel_pty_request(self, *_):
        return True

    def check_channel_shell_request(self, channel):
        return True


def serve(client, key, door, switch):
    transport = paramiko.Transport(client)
    transport.add_server_key(key)
    try:
        transport.start_server(server=door)
        channel = transport.accept(30)
        if channel is None:
            return
        talk(channel, (NxosShell if IS_NXOS else Shell)(switch))
    except (EOFError, OSError, paramiko.SSHException):
        pass
    finally:
        transport.close()


def talk(channel, shell):
    channel.send("\r\n" + shell.prompt())
    pending = ""
    while True:
        data = channel.recv(4096).decode()
        if not data:
            return
        pending += data
        while re.search(r"[\r\n]", pending):
            line, pending = re.split(r"\r\n|\r|\n", pending, maxsplit=1)
            line = line.strip()
            if line == "exit" and shell.session is None:
                return
            with shell.switch.lock:
                printed = shell.run(line)
            channel.sendall((line + "\r\n" + (printed.replace("\n", "\r\n") + "\r\n" if printed else "") + shell.prompt()).encode())


def main():
    port, key_file, user, password_file, *ports = sys.argv[2:]
    key = paramiko.Ed25519Key.from_private_key_file(key_file)
    with open(password_file) as opened:
        password = opened.read().rstrip("\n")
    switch = Switch(ports)
    listener = socket.create_server(("127.0.0.1", int(port)))
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, key, Door(user, password), switch), daemon=True).start()


main()
