"""Reads BMCs with Python sushy and prints one JSON document with what was read and what it cost.

    SUSHY_PASSWORD=... read-with-sushy.py --username NAME [--verify CA_FILE|no] URL...
    read-with-sushy.py --targets FILE|- [--verify CA_FILE|no]
    either with --reads FILE

--targets names a JSON list of {"url", "username", "password", "reads"?}, so no password is on the command line.
Without --reads, everything that sushy can read of a BMC is read and printed. With --reads, a JSON list of paths,
exactly these resources are fetched, by sushy's class for the resource where it has one and by its connector where it
has none, and only the cost is printed. A target's own "reads" go before the list.

sushy is used as Ironic uses it: one root object a BMC, a session (Basic where there are none), and sushy's own
defaults for retries and connections, which is one connection a request.
"""

import argparse
import collections.abc
import datetime
import enum
import importlib.metadata
import json
import os
import platform
import re
import resource
import sys
import time
import traceback

import sushy
from sushy import auth
from sushy import connector
from sushy import exceptions
from sushy.resources import base
from sushy.resources.chassis import chassis
from sushy.resources.chassis.power import power
from sushy.resources.chassis.thermal import thermal
from sushy.resources.eventservice import eventservice
from sushy.resources.manager import manager
from sushy.resources.manager import virtual_media
from sushy.resources.registry import attribute_registry
from sushy.resources.registry import message_registry_file
from sushy.resources.sessionservice import sessionservice
from sushy.resources.system import bios
from sushy.resources.system import ethernet_interface
from sushy.resources.system import port
from sushy.resources.system import processor
from sushy.resources.system import secure_boot
from sushy.resources.system import simple_storage
from sushy.resources.system import system
from sushy.resources.system.network import adapter
from sushy.resources.system.network import device_function
from sushy.resources.system.network import port as network_port
from sushy.resources.system.storage import controller
from sushy.resources.system.storage import drive
from sushy.resources.system.storage import storage
from sushy.resources.system.storage import volume
from sushy.resources.taskservice import task
from sushy.resources.taskservice import taskservice
from sushy.resources.updateservice import softwareinventory
from sushy.resources.updateservice import updateservice


class Bmc:
    """One BMC: sushy's root object, and how many requests it took."""

    def __init__(self, target, verify):
        self.requests = 0
        self.bytes = 0
        # What sushy.Sushy builds for itself, with a callback that counts.
        conn = connector.Connector(
            target['url'], verify=verify, response_callback=self._count, server_side_retries=10,
            server_side_retries_delay=3, default_request_timeout=60)
        self.auth = auth.SessionOrBasicAuth(username=target['username'], password=target['password'])
        self.conn = conn
        self.root = sushy.Sushy(target['url'], auth=self.auth, connector=conn)

    def _count(self, response):
        self.requests += 1
        self.bytes += len(response.content)

    def close(self):
        self.auth.close()
        self.conn.close()


def plain(value):
    """What sushy parsed, as JSON can say it."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, (base.CompositeField, base.ListField, base.DictionaryField)):
        return {name: plain(getattr(value, name)) for name in value._subfields if not name.startswith('_')}
    if isinstance(value, collections.abc.Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(each) for each in value), key=str)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def fields(of):
    """All public fields that sushy's class for the resource knows."""
    values = {name: plain(getattr(of, name)) for name, _ in base._collect_fields(of) if not name.startswith('_')}
    return {'path': of.path, **values}


def has_action(of, name):
    """Whether the resource offers the action."""
    return name in (of.json.get('Actions') or {})


def describe(error):
    """An exception in a line, with the place that raised it."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f'{type(error).__name__}: {error} ({os.path.basename(where.filename)}:{where.lineno})'


class Reading:
    """Walks a BMC through sushy's own properties; notes what it lacks, links to nowhere, and what went wrong."""

    def __init__(self, root):
        self.root = root
        self.missing = []
        self.dangling = []
        self.errors = []

    def part(self, name, read):
        """What `read` says; sushy says of a link that is not there that an attribute is missing."""
        try:
            return read()
        except (exceptions.MissingAttributeError, exceptions.MissingActionError) as error:
            self.missing.append(f'{name}: {error}')
        except exceptions.ResourceNotFoundError as error:
            self.dangling.append(f'{name}: {error}')
        except Exception as error:
            self.errors.append(f'{name}: {describe(error)}')
        return None

    def members(self, name, read, each=fields):
        """The members of a collection, each read with `each`."""
        collection = self.part(name, read)
        if collection is None:
            return None
        listed = self.part(name, lambda: collection if isinstance(collection, list) else collection.get_members())
        return [self.part(f'{name} {one.path}', lambda: each(one)) for one in listed or []]

    def everything(self):
        root = self.root
        return {
            'root': {**fields(root), 'redfish_version': root.redfish_version},
            'systems': self.members('systems', root.get_system_collection, self.system),
            'managers': self.members('managers', root.get_manager_collection, self.manager),
            'chassis': self.members('chassis', root.get_chassis_collection, self.chassis),
            'update_service': self.service('update service', root.get_update_service, self.update_service),
            'task_service': self.service('task service', root.get_task_service, self.task_service),
            'session_service': self.service('session service', root.get_session_service, self.session_service),
            'event_service': self.service('event service', root.get_event_service, self.event_service),
            'registries': self.part('registries', self.registries),
        }

    def service(self, name, read, each):
        found = self.part(name, read)
        return None if found is None else self.part(name, lambda: {**fields(found), **each(found)})

    def system(self, of):
        return {
            **fields(of),
            'allowed_resets': self.part('reset values', lambda: plain(of.get_allowed_reset_system_values())),
            'allowed_boot_sources': self.part('boot sources', lambda: plain(of.get_allowed_system_boot_source_values())),
            'bios': self.service('bios', lambda: of.bios, self.bios),
            'processors': self.members('processors', lambda: of.processors),
            'processor_summary': self.part('processor summary', lambda: plain(of.processors.summary._asdict())),
            'ethernet_interfaces': self.members('ethernet interfaces', lambda: of.ethernet_interfaces),
            'storage': self.members('storage', lambda: of.storage, self.storage),
            'simple_storage': self.members('simple storage', lambda: of.simple_storage),
            'secure_boot': self.service('secure boot', lambda: of.secure_boot, self.secure_boot),
            'virtual_media': self.members('virtual media', lambda: of.virtual_media),
            'pcie_devices': self.members('PCIe devices', lambda: of.pcie_devices),
            'managed_by': self.part('managers of the system', lambda: [each.path for each in of.managers]),
            'in_chassis': self.part('chassis of the system', lambda: [each.path for each in of.chassis]),
        }

    def bios(self, of):
        registry = self.part('attribute registry', of.get_attribute_registry)
        return {
            'pending_attributes': self.part('pending attributes', lambda: of.pending_attributes),
            'supported_apply_times': self.part('apply times', lambda: plain(of.supported_apply_times)),
            'update_status': self.part('update status', lambda: plain(vars(of.update_status))),
            'registry': None if registry is None else {
                'identity': registry.identity,
                'language': registry.language,
                'attributes': [plain(each) for each in registry.registry_entries.attributes],
            },
        }

    def secure_boot(self, of):
        return {'databases': self.members('secure boot databases', lambda: of.databases)}

    def storage(self, of):
        return {
            **fields(of),
            'drives': self.members('drives', lambda: of.drives),
            'volumes': self.members('volumes', lambda: of.volumes),
            'controllers': self.members('controllers', lambda: of.controllers),
        }

    def manager(self, of):
        return {
            **fields(of),
            # sushy stumbles over a manager without any action.
            'allowed_resets': self.part(
                'manager reset values',
                lambda: plain(of.get_allowed_reset_manager_values()) if has_action(of, '#Manager.Reset') else None),
            'virtual_media': self.members('virtual media of the manager', lambda: of.virtual_media),
            'ethernet_interfaces': self.members('interfaces of the manager', lambda: of.ethernet_interfaces),
        }

    def chassis(self, of):
        return {
            **fields(of),
            'power': self.part('power', lambda: fields(of.power)),
            'thermal': self.part('thermal', lambda: fields(of.thermal)),
            'network_adapters': self.members('network adapters', lambda: of.network_adapters, self.network_adapter),
        }

    def network_adapter(self, of):
        return {
            **fields(of),
            'ports': self.members('ports', lambda: of.ports),
            'network_ports': self.members('network ports', lambda: of.network_ports),
            'functions': self.members('network device functions', lambda: of.network_device_functions),
        }

    def update_service(self, of):
        return {
            # sushy stumbles over a service that cannot pull: it raises its own exception with the wrong arguments.
            'transfer_protocols': self.part(
                'transfer protocols',
                lambda: plain(of.get_allowed_transfer_protocols()) if has_action(of, '#UpdateService.SimpleUpdate') else None),
            'firmware_inventory': self.members('firmware inventory', lambda: of.firmware_inventory),
            'software_inventory': self.members('software inventory', lambda: of.software_inventory),
        }

    def task_service(self, of):
        return {'tasks': self.members('tasks', lambda: of.tasks)}

    def session_service(self, of):
        return {'sessions': self.members('sessions', lambda: of.sessions)}

    def event_service(self, of):
        return {
            'event_types': self.part('event types', lambda: plain(of.get_event_types_for_subscription())),
            'subscriptions': self.members('event subscriptions', lambda: of.subscriptions),
        }

    def registries(self):
        """The registries of the BMC itself, without the ones that come with sushy."""
        files = self.members('registry files', self.root._get_registry_collection) or []
        loaded = self.root.registries
        return [{**each, 'is_loaded': each['registry'] in loaded} for each in files if each is not None]


# The class of a resource by the end of its path; what is not here (memory, accounts, logs) sushy has no class for.
TYPED_READS = [(re.compile(f'/redfish/v1/{end}/?$'), kind) for end, kind in [
    ('Systems', system.SystemCollection),
    ('Systems/[^/]+', system.System),
    ('Systems/[^/]+/(?:Bios|BIOS)', bios.Bios),
    ('Systems/[^/]+/SecureBoot', secure_boot.SecureBoot),
    ('Systems/[^/]+/Processors', processor.ProcessorCollection),
    ('Systems/[^/]+/Processors/[^/]+', processor.Processor),
    ('(?:Systems|Managers)/[^/]+/EthernetInterfaces', ethernet_interface.EthernetInterfaceCollection),
    ('(?:Systems|Managers)/[^/]+/EthernetInterfaces/[^/]+', ethernet_interface.EthernetInterface),
    ('(?:Systems|Managers)/[^/]+/VirtualMedia', virtual_media.VirtualMediaCollection),
    ('(?:Systems|Managers)/[^/]+/VirtualMedia/[^/]+', virtual_media.VirtualMedia),
    ('Systems/[^/]+/SimpleStorage', simple_storage.SimpleStorageCollection),
    ('Systems/[^/]+/SimpleStorage/[^/]+', simple_storage.SimpleStorage),
    ('Systems/[^/]+/Storage', storage.StorageCollection),
    ('Systems/[^/]+/Storage/[^/]+', storage.Storage),
    ('.*/Drives/[^/]+', drive.Drive),
    ('.*/Volumes', volume.VolumeCollection),
    ('.*/Volumes/[^/]+', volume.Volume),
    ('.*/Storage/[^/]+/Controllers', controller.ControllerCollection),
    ('.*/Storage/[^/]+/Controllers/[^/]+', controller.StorageController),
    ('Managers', manager.ManagerCollection),
    ('Managers/[^/]+', manager.Manager),
    ('Chassis', chassis.ChassisCollection),
    ('Chassis/[^/]+', chassis.Chassis),
    ('Chassis/[^/]+/Power', power.Power),
    ('Chassis/[^/]+/Thermal', thermal.Thermal),
    ('.*/NetworkAdapters', adapter.NetworkAdapterCollection),
    ('.*/NetworkAdapters/[^/]+', adapter.NetworkAdapter),
    ('.*/NetworkAdapters/[^/]+/Ports', port.PortCollection),
    ('.*/NetworkAdapters/[^/]+/Ports/[^/]+', port.Port),
    ('.*/NetworkAdapters/[^/]+/NetworkPorts', network_port.NetworkPortCollection),
    ('.*/NetworkAdapters/[^/]+/NetworkPorts/[^/]+', network_port.NetworkPort),
    ('.*/NetworkAdapters/[^/]+/NetworkDeviceFunctions', device_function.NetworkDeviceFunctionCollection),
    ('.*/NetworkAdapters/[^/]+/NetworkDeviceFunctions/[^/]+', device_function.NetworkDeviceFunction),
    ('UpdateService', updateservice.UpdateService),
    ('UpdateService/(?:Firmware|Software)Inventory', softwareinventory.SoftwareInventoryCollection),
    ('UpdateService/(?:Firmware|Software)Inventory/[^/]+', softwareinventory.SoftwareInventory),
    ('TaskService', taskservice.TaskService),
    ('TaskService/Tasks', task.TaskCollection),
    ('TaskService/Tasks/[^/]+', task.Task),
    ('SessionService', sessionservice.SessionService),
    ('EventService', eventservice.EventService),
    ('Registries', message_registry_file.MessageRegistryFileCollection),
    ('Registries/[^/]+', message_registry_file.MessageRegistryFile),
    ('.*/BiosAttributeRegistry[^/]*(?:/[^/]+)?', attribute_registry.AttributeRegistry),
]]


def kind_of(path):
    """The class sushy has for the resource at the path, or None; query strings do not change the kind."""
    bare = path.partition('?')[0]
    return next((kind for pattern, kind in TYPED_READS if pattern.match(bare)), None)


def read_listed(bmc, paths, kinds):
    """Fetches exactly the listed resources; says how many of them through a class of sushy."""
    typed = 0
    common = {'redfish_version': bmc.root.redfish_version, 'root': bmc.root}
    for path, kind in zip(paths, kinds):
        if kind is None:
            bmc.conn.get(path).json()
        else:
            kind(bmc.conn, path, registries=bmc.root.lazy_registries, **common)
            typed += 1
    return {'reads': len(paths), 'typedReads': typed}


def counts_of(value):
    """How many members each collection has, by its name."""
    counts = collections.Counter()
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            for key, inner in each.items():
                if isinstance(inner, list) and inner and all(isinstance(one, dict) and 'path' in one for one in inner):
                    counts[key] += len(inner)
                stack.append(inner)
        elif isinstance(each, list):
            stack.extend(each)
    return dict(sorted(counts.items()))


def read_target(target, options, reads):
    """Logs in, reads, logs out; the CPU time is of all three."""
    listed = [*target.get('reads', []), *(reads or [])] if reads is not None or 'reads' in target else None
    kinds = [kind_of(path) for path in listed or []]
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        bmc = Bmc(target, options.verify)
    except Exception as error:
        return {'url': target['url'], 'requests': 0, 'missing': [], 'dangling': [], 'errors': [f'log-in: {describe(error)}']}
    result = {}
    reading = Reading(bmc.root)
    try:
        if listed is None:
            result['values'] = reading.everything()
        else:
            result.update(reading.part('reads', lambda: read_listed(bmc, listed, kinds)) or {})
    finally:
        reading.part('log-out', bmc.close)
    cost = {'cpuSeconds': time.process_time() - cpu, 'wallSeconds': time.perf_counter() - wall}
    if 'values' in result:
        result['counts'] = counts_of(result['values'])
    found = {'missing': reading.missing, 'dangling': reading.dangling, 'errors': reading.errors}
    return {'url': target['url'], 'requests': bmc.requests, 'bytes': bmc.bytes, **cost, **found, **result}


def parse_options():
    parser = argparse.ArgumentParser(description='Reads BMCs with Python sushy.')
    parser.add_argument('urls', nargs='*', metavar='URL', help='scheme, host and port of a BMC')
    parser.add_argument('--username', help='of all URLs; the password is in SUSHY_PASSWORD')
    parser.add_argument('--targets', help='file with a JSON list of targets, or - for stdin')
    parser.add_argument('--reads', help='file with a JSON list of paths')
    parser.add_argument('--verify', default='yes', help='file of the authority, or no')
    options = parser.parse_args()
    options.verify = {'yes': True, 'no': False}.get(options.verify, options.verify)
    return options


def targets_of(options):
    password = os.environ.get('SUSHY_PASSWORD', '')
    named = [{'url': url, 'username': options.username, 'password': password} for url in options.urls]
    if options.targets is None:
        return named
    if options.targets == '-':
        return named + json.load(sys.stdin)
    with open(options.targets) as file:
        return named + json.load(file)


def reads_of(options):
    if options.reads is None:
        return None
    with open(options.reads) as file:
        return json.load(file)


def main():
    options = parse_options()
    targets, reads = targets_of(options), reads_of(options)
    if not targets:
        sys.exit('read-with-sushy.py: name a URL or --targets')
    startup = time.process_time()
    results = [read_target(target, options, reads) for target in targets]
    cpu = time.process_time() - startup
    json.dump({
        'sushy': importlib.metadata.version('sushy'),
        'python': platform.python_version(),
        'bmcs': len(results),
        'requests': sum(each['requests'] for each in results),
        'startupCpuSeconds': startup,
        'cpuSeconds': cpu,
        'cpuSecondsPerBmc': cpu / len(results),
        'maxRssKib': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        'targets': results,
    }, sys.stdout)
    print()
    sys.exit(1 if any(each['errors'] or each['dangling'] for each in results) else 0)


if __name__ == '__main__':
    main()
