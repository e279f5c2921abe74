import { join } from 'node:path';

/** What differs between the configurations of two Ironics. */
export interface IronicConfOptions {
  readonly dataDir: string;
  readonly port: number;
  /** How often the conductor reads the power state of every node. */
  readonly powerSyncSeconds: number;
  /** Asks for what the file `htpasswd` in the data folder has. */
  readonly withBasicAuth?: boolean;
  readonly discovery?: DiscoveryConf;
}

/** What becomes of machines that nobody has registered. */
export interface DiscoveryConf {
  /** The driver of the nodes that are made for them; `fake-hardware` unless given. */
  readonly driver?: string;
  /** Whether agents stay in touch until there is work for them; without it their machines are switched off. */
  readonly isFastTrack?: boolean;
}

type Sections = Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;

/**
 * The configuration of an Ironic that is API and conductor in one process: SQLite, no message bus, no log-in, and
 * the stock interfaces of the redfish and fake-hardware drivers.
 */
export function ironicConf(options: IronicConfOptions): string {
  const { driver = 'fake-hardware' } = options.discovery ?? {};
  const discovery = { auto_discovery: { enabled: true, driver } };
  return render({ ...serviceSections(options), ...bootSections(options), ...driverSections, ...discovery });
}

const interfaces = {
  enabled_hardware_types: 'fake-hardware,redfish,manual-management',
  enabled_bios_interfaces: 'fake,redfish,no-bios',
  enabled_boot_interfaces: 'fake,redfish-virtual-media,ipxe,pxe',
  enabled_console_interfaces: 'fake,no-console',
  enabled_deploy_interfaces: 'fake,ramdisk,direct',
  enabled_firmware_interfaces: 'fake,redfish,no-firmware',
  enabled_inspect_interfaces: 'fake,agent,redfish,no-inspect',
  enabled_management_interfaces: 'fake,redfish,noop',
  enabled_network_interfaces: 'noop',
  enabled_power_interfaces: 'fake,redfish,agent',
  enabled_raid_interfaces: 'fake,redfish,no-raid',
  enabled_rescue_interfaces: 'fake,no-rescue',
  enabled_storage_interfaces: 'fake,noop',
  enabled_vendor_interfaces: 'fake,redfish,no-vendor',
  default_network_interface: 'noop',
  // Else an auto-discovered fake-hardware node gets inspect_interface=fake, which cannot take agent data.
  default_inspect_interface: 'agent',
};

function serviceSections({ dataDir, port, powerSyncSeconds, withBasicAuth }: IronicConfOptions): Sections {
  return {
    DEFAULT: {
      auth_strategy: withBasicAuth === true ? 'http_basic' : 'noauth',
      http_basic_auth_user_file: join(dataDir, 'htpasswd'),
      rpc_transport: 'none',
      host: 'localhost',
      my_ip: '127.0.0.1',
      state_path: join(dataDir, 'state'),
      use_stderr: true,
      ...interfaces,
    },
    api: { host_ip: '127.0.0.1', port },
    database: { connection: `sqlite:///${join(dataDir, 'ironic.sqlite')}` },
    conductor: {
      automated_clean: false,
      sync_power_state_interval: powerSyncSeconds,
      file_url_allowed_paths: dataDir,
    },
    service_catalog: { auth_type: 'none', endpoint_override: `http://127.0.0.1:${port}` },
    agent: {
      certificates_path: join(dataDir, 'certificates'),
      // Simulated hosts shut down in a second; the defaults are made for real ones.
      post_deploy_get_power_state_retry_interval: 1,
      command_wait_interval: 1,
    },
    oslo_concurrency: { lock_path: join(dataDir, 'tmp') },
  };
}

/** Nothing boots from these folders: the nodes are emulated, and their kernel and ramdisk are dummies. */
function bootSections({ dataDir, port, discovery }: IronicConfOptions): Sections {
  return {
    dhcp: { dhcp_provider: 'none' },
    deploy: {
      http_url: `http://127.0.0.1:${port}`,
      http_root: join(dataDir, 'http'),
      fast_track: discovery?.isFastTrack === true,
      // Nothing serves that folder: BMCs get the address of an ISO as it was given.
      ramdisk_image_download_source: 'http',
    },
    pxe: {
      tftp_root: join(dataDir, 'tftpboot'),
      tftp_master_path: join(dataDir, 'master', 'tftp'),
      images_path: join(dataDir, 'master', 'images'),
      instance_master_path: join(dataDir, 'master', 'instance'),
    },
  };
}

const driverSections: Sections = {
  inspector: {
    require_managed_boot: false,
    add_ports: 'all',
    hooks: '$default_hooks,memory,cpus,boot-mode,cpu-capabilities,root-device,parse-lldp,local-link-connection',
  },
  // With the defaults a BIOS update is only believed after a minute and a half.
  redfish: {
    firmware_update_status_interval: 2,
    firmware_update_fail_interval: 2,
    firmware_update_required_successes: 1,
    firmware_update_validation_interval: 1,
  },
};

function render(sections: Sections): string {
  return Object.entries(sections)
    .flatMap(([name, values]) => [
      `[${name}]`,
      ...Object.entries(values).map(([key, value]) => `${key} = ${value}`),
      '',
    ])
    .join('\n');
}
