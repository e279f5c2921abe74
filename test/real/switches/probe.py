"""Sends one frame from one network namespace and says which others received it, and with which tag.

Reads {"hosts": [...], "from": name, "frame": hex, "wanted": n, "patienceMs": n, "waitMs": n} from stdin, prints
{host: tag or null}: it waits patiently for as many hosts as are wanted, and then a while for more. Hosts are names of
namespaces; each has an eth0. Tags are read from the packet socket, so no kernel VLAN devices are needed.
"""

import ctypes
import json
import os
import select
import socket
import struct
import sys
import time

SOL_PACKET, PACKET_AUXDATA, PACKET_OUTGOING, VLAN_VALID = 263, 8, 4, 0x10
LIBC = ctypes.CDLL(None, use_errno=True)


def socket_in(namespace):
    handle = os.open("/run/netns/" + namespace, os.O_RDONLY)
    if LIBC.setns(handle, 0x40000000):
        raise OSError(ctypes.get_errno(), "setns")
    os.close(handle)
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    opened.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    opened.bind(("eth0", 0))
    opened.setblocking(False)
    return opened


def tag_of(data, ancillary):
    if data[12:14] == b"\x81\x00":
        return struct.unpack("!H", data[14:16])[0] & 0xFFF
    for level, kind, content in ancillary:
        if level == SOL_PACKET and kind == PACKET_AUXDATA:
            status, _, _, _, _, tci, _ = struct.unpack("IIIHHHH", content[:20])
            if status & VLAN_VALID:
                return tci & 0xFFF
    return None


def main():
    order = json.load(sys.stdin)
    sockets = {socket_in(host): host for host in order["hosts"]}
    frame = bytes.fromhex(order["frame"])
    mark = os.urandom(16)
    sender = next(each for each, host in sockets.items() if host == order["from"])
    try:
        sender.send(frame + mark)
    except OSError:
        pass  # A port that is shut down takes nothing.
    seen = {}
    end = time.monotonic() + order["waitMs" if order["wanted"] == 0 else "patienceMs"] / 1000
    while time.monotonic() < end:
        ready, _, _ = select.select(list(sockets), [], [], max(0, end - time.monotonic()))
        for each in ready:
            try:
                data, ancillary, _, address = each.recvmsg(4096, 256)
            except (BlockingIOError, OSError):
                continue
            if address[2] != PACKET_OUTGOING and mark in data:
                seen[sockets[each]] = tag_of(data, ancillary)
                if len(seen) >= order["wanted"]:
                    end = min(end, time.monotonic() + order["waitMs"] / 1000)
    print(json.dumps(seen))


main()
