# Configuration of sushy-tools' emulator: its fake driver plus the methods that driver lacks (BIOS, firmware version,
# processors, memory). Not stock: the emulator runs this file as Python, and it adds methods to the driver.
# The names in upper case are the emulator's settings; what differs between runs comes from the environment.
import os
import types

import flask as _flask
from sushy_tools.emulator import main as _main
from sushy_tools.emulator.resources.systems import fakedriver as _fakedriver

SUSHY_EMULATOR_STATE_DIR = os.environ['EMULATOR_STATE_DIR']
SUSHY_EMULATOR_SSL_CERT = os.environ.get('EMULATOR_SSL_CERT')
SUSHY_EMULATOR_SSL_KEY = os.environ.get('EMULATOR_SSL_KEY')
SUSHY_EMULATOR_AUTH_FILE = os.environ.get('EMULATOR_AUTH_FILE')
SUSHY_EMULATOR_FEATURE_SET = 'full'
SUSHY_EMULATOR_FAKE_DRIVER = True
# A loopback file server has no certificate that the emulator could check.
SUSHY_EMULATOR_VMEDIA_VERIFY_SSL = False

_BIOS = {
    'BootMode': 'Uefi', 'EmbeddedSata': 'Raid', 'L2Cache': '10x256 KB', 'NicBoot1': 'NetworkBoot',
    'NumCores': '10', 'ProcTurboMode': 'Enabled', 'QuietBoot': 'true', 'SecureBootStatus': 'Enabled',
    'SerialNumber': 'QPX12345', 'SysPassword': '',
}
# The stock driver changes the power state after a random 1 to 11 s; here the next read sees the change.
_fakedriver.random = types.SimpleNamespace(randint=lambda low, high: 0)
_driver = _fakedriver.FakeDriver
_driver.get_bios = lambda self, i: dict(self._get(i).get('bios') or _BIOS)
_driver.set_bios = lambda self, i, changed: self._update(i, bios={**self.get_bios(i), **changed})
_driver.reset_bios = lambda self, i: self._update(i, bios=None)
_driver.get_versions = lambda self, i: dict(self._get(i).get('versions') or {'BiosVersion': '1.0.0'})
_driver.set_versions = lambda self, i, changed: self._update(i, versions={**self.get_versions(i), **changed})
_driver.reset_versions = lambda self, i: self._update(i, versions=None)
_driver.get_total_memory = lambda self, i: self._get(i).get('memory_gb', 16)
_driver.get_total_cpus = lambda self, i: self._get(i).get('cpus', 4)
_driver.get_processors = lambda self, i: [
    {'id': f'CPU{n}', 'socket': f'CPU {n}', 'model': 'Emulated', 'vendor': 'Sushy', 'cores': '2', 'threads': '4'}
    for n in range(self.get_total_cpus(i))
]


def _task():
    """The one task of the emulator is always completed; here a file may say how an update goes."""
    told = os.path.join(SUSHY_EMULATOR_STATE_DIR, 'task-state')
    state = open(told).read().strip() if os.path.exists(told) else 'Completed'
    failure = [{'MessageId': 'Update.1.0.ApplyFailed', 'Message': 'the image was not applied'}]
    return _flask.jsonify({
        '@odata.type': '#Task.v1_4_3.Task', '@odata.id': '/redfish/v1/TaskService/Tasks/42',
        'Id': '42', 'Name': 'Task 42', 'TaskMonitor': '/taskmon/42', 'TaskState': state,
        'PercentComplete': 100 if state == 'Completed' else 50, 'Description': 'Task description',
        'TaskStatus': 'Critical' if state == 'Exception' else 'OK',
        'Messages': failure if state == 'Exception' else [],
    })


_main.app.view_functions['simple_task'] = _task

SUSHY_EMULATOR_FAKE_SYSTEMS = [
    {
        'uuid': f'11111111-0000-4000-8000-{n:012d}', 'name': f'node-{n:02d}', 'power_state': 'Off',
        'external_notifier': False, 'nics': [{'mac': f'52:54:00:00:00:{n:02x}', 'ip': f'192.0.2.{n}'}],
    }
    for n in range(1, 9)
]
_uuids = [system['uuid'] for system in SUSHY_EMULATOR_FAKE_SYSTEMS]
SUSHY_EMULATOR_STORAGE = {
    uuid: [{
        'Id': '1', 'Name': 'Local Storage Controller', 'Drives': ['d1'],
        'StorageControllers': [{'MemberId': '0', 'Name': 'RAID', 'SpeedGbps': 12}],
    }]
    for uuid in _uuids
}
SUSHY_EMULATOR_DRIVES = {
    (uuid, '1'): [{'Id': 'd1', 'Name': 'Drive 1', 'CapacityBytes': 480103981056, 'Protocol': 'SAS'}] for uuid in _uuids
}
SUSHY_EMULATOR_VOLUMES = {(uuid, '1'): [] for uuid in _uuids}
