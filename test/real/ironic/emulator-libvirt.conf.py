# Configuration of sushy-tools' emulator: its unmodified libvirt driver on libvirt's in-process test hypervisor, so
# there are no virtual machines and no libvirtd. Virtual media does not work here: that hypervisor has no upload.
# The names in upper case are the emulator's settings; what differs between runs comes from the environment.
import os

import libvirt

SUSHY_EMULATOR_STATE_DIR = os.environ['EMULATOR_STATE_DIR']
SUSHY_EMULATOR_SSL_CERT = os.environ.get('EMULATOR_SSL_CERT')
SUSHY_EMULATOR_SSL_KEY = os.environ.get('EMULATOR_SSL_KEY')
SUSHY_EMULATOR_AUTH_FILE = os.environ.get('EMULATOR_AUTH_FILE')
SUSHY_EMULATOR_FEATURE_SET = 'full'
SUSHY_EMULATOR_LIBVIRT_URI = 'test:///default'

# The emulator keeps names in upper case. This one must be kept: the test hypervisor forgets all domains when its
# last connection closes, and the emulator opens and closes one per call.
KEPT_CONNECTION = libvirt.open(SUSHY_EMULATOR_LIBVIRT_URI)
for _domain in KEPT_CONNECTION.listAllDomains():
    if _domain.isActive():
        _domain.destroy()
    _domain.undefine()

SUSHY_EMULATOR_STORAGE = {}
SUSHY_EMULATOR_DRIVES = {}
SUSHY_EMULATOR_VOLUMES = {}
for _n in range(1, 9):
    _uuid = f'11111111-0000-4000-8000-{_n:012d}'
    KEPT_CONNECTION.defineXML(f"""
      <domain type='test'>
        <name>node-{_n:02d}</name>
        <uuid>{_uuid}</uuid>
        <memory unit='GiB'>16</memory>
        <vcpu>4</vcpu>
        <os firmware='efi'>
          <type arch='x86_64' machine='q35'>hvm</type>
          <firmware>
            <feature enabled='no' name='enrolled-keys'/>
            <feature enabled='no' name='secure-boot'/>
          </firmware>
          <boot dev='hd'/>
        </os>
        <devices>
          <disk type='file' device='disk'><source file='/guest/d{_n}'/><target dev='vda' bus='virtio'/></disk>
          <interface type='network'><mac address='52:54:00:00:00:{_n:02x}'/><source network='default'/></interface>
        </devices>
      </domain>""")
    SUSHY_EMULATOR_STORAGE[_uuid] = [{
        'Id': '1', 'Name': 'Local Storage Controller', 'Drives': ['d1'],
        'StorageControllers': [{'MemberId': '0', 'Name': 'RAID', 'SpeedGbps': 12}],
    }]
    SUSHY_EMULATOR_DRIVES[(_uuid, '1')] = [
        {'Id': 'd1', 'Name': 'Drive 1', 'CapacityBytes': 480103981056, 'Protocol': 'SAS'}]
    SUSHY_EMULATOR_VOLUMES[(_uuid, '1')] = []
