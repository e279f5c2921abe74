import { parseCount, parseHost, parseOneOf, parsePath, parsePort, parseUrlOf } from '../parse-setting.ts';
import { define } from '../setting.ts';

/** Settings of what owns hosts. */
export const hostSettings = {
  provisioner: define({
    flag: '--provisioner',
    value: '<name>',
    env: 'RACKWRIGHT_PROVISIONER',
    about:
      'what looks after BareMetalHosts: ironic, redfish (their BMCs alone: power, firmware, live ISOs; it writes no disk images), or agent (agents that machines boot from the network introduce them and write disk images; BMCs, where they are known, start them and do the rest); ironic where --ironic-url names one, else agent for the simulated rack only',
    parse: parseOneOf('ironic', 'redfish', 'agent'),
  }),
  agentHost: define({
    flag: '--agent-host',
    value: '<address>',
    env: 'RACKWRIGHT_AGENT_HOST',
    about:
      'the address where agents are listened for, with --provisioner agent or on the simulated rack; that of --host unless given',
    parse: parseHost,
  }),
  agentPort: define({
    flag: '--agent-port',
    value: '<port>',
    env: 'RACKWRIGHT_AGENT_PORT',
    about: 'the port for agents; three above --port unless given, and any free one where that is 0',
    parse: parsePort,
  }),
  agentTokenFile: define({
    flag: '--agent-token-file',
    value: '<file>',
    env: 'RACKWRIGHT_AGENT_TOKEN_FILE',
    about:
      'a file with the tokens that boot configurations hold, one a line, the newest first; read again when it changes; without it one is made in the data directory',
    parse: parsePath,
  }),
  ironicUrl: define({
    flag: '--ironic-url',
    value: '<url>',
    env: 'RACKWRIGHT_IRONIC_URL',
    about:
      'the Ironic API that provisions BareMetalHosts; without it, and without --provisioner, only those of the simulated rack are looked after',
    parse: parseUrlOf('http', 'https'),
  }),
  ironicAuthFile: define({
    flag: '--ironic-auth-file',
    value: '<file>',
    env: 'RACKWRIGHT_IRONIC_AUTH_FILE',
    about: 'a file with user:password for the Ironic API; without it no log-in is tried',
    parse: parsePath,
  }),
  ironicCa: define({
    flag: '--ironic-ca',
    value: '<file>',
    env: 'RACKWRIGHT_IRONIC_CA',
    about: 'certificates, as PEM, that Ironic is checked against; those of the system unless given',
    parse: parsePath,
  }),
  ironicKernel: define({
    flag: '--ironic-kernel',
    value: '<url>',
    env: 'RACKWRIGHT_IRONIC_KERNEL',
    about: 'the kernel that Ironic boots hosts with to work on them; without it, what its own configuration names',
    parse: parseUrlOf('http', 'https', 'file'),
  }),
  ironicRamdisk: define({
    flag: '--ironic-ramdisk',
    value: '<url>',
    env: 'RACKWRIGHT_IRONIC_RAMDISK',
    about: 'the ramdisk for that kernel',
    parse: parseUrlOf('http', 'https', 'file'),
  }),
  ironicIso: define({
    flag: '--ironic-iso',
    value: '<url>',
    env: 'RACKWRIGHT_IRONIC_ISO',
    about: 'the same as an ISO, for hosts that boot it by virtual media',
    parse: parseUrlOf('http', 'https', 'file'),
  }),
  ironicBootImages: define({
    flag: '--ironic-boot-images',
    value: '<formats>',
    env: 'RACKWRIGHT_IRONIC_BOOT_IMAGES',
    about:
      'iso, initrd or iso,initrd: each host is booted with a PreprovisioningImage of its own, which somebody else builds; without it, with the images above',
    parse: parseOneOf('iso', 'initrd', 'iso,initrd'),
  }),
  provisioningLimit: define({
    flag: '--provisioning-limit',
    value: '<n>',
    env: 'RACKWRIGHT_PROVISIONING_LIMIT',
    about:
      'how many hosts may be inspected, provisioned, deprovisioned and serviced at once, with --provisioner redfish only serviced; 0: no limit',
    fallback: '20',
    parse: parseCount({ least: 0, most: 100_000 }),
  }),
  firmwareLinks: define({
    flag: '--firmware-links',
    value: '<which>',
    env: 'RACKWRIGHT_FIRMWARE_LINKS',
    about:
      'which images HostFirmwareComponents may name where BMCs look after hosts: any link, of which what it leads to when it is specified is installed, or only those of the catalogue',
    fallback: 'any',
    parse: parseOneOf('any', 'catalogue'),
  }),
} as const;

/** The names of these settings. */
export const hostSettingNames = [
  'provisioner',
  'agentHost',
  'agentPort',
  'agentTokenFile',
  'ironicUrl',
  'ironicAuthFile',
  'ironicCa',
  'ironicKernel',
  'ironicRamdisk',
  'ironicIso',
  'ironicBootImages',
  'provisioningLimit',
  'firmwareLinks',
] as const satisfies readonly (keyof typeof hostSettings)[];
