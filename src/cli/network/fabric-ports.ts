import type { AclRule, Fabric, PortSettings as SimSettings } from '../../../simulator/index.ts';
import {
  type FixturePorts,
  formatVlans,
  idsOf,
  type PortSettings,
  recordOfSettings,
  settingsOfSpec,
  vlanSetOf,
} from '../../switches/index.ts';

/** The ports of one simulated switch as whoever configures switches sees them; undefined when there is no such switch. */
export function fabricPorts(fabric: Fabric, switchName: string): FixturePorts | undefined {
  if (fabric.find(switchName) === undefined) return undefined;
  const ports = () => fabric.find(switchName)?.ports ?? [];
  let isWriting = false;
  return {
    list: () => ports().map(({ name, nic }) => ({ port: name, isLinkUp: nic !== undefined })),
    read(port) {
      const found = fabric.port({ switchName, port });
      return found === undefined ? undefined : settingsOf(found.settings);
    },
    write(port, settings) {
      // Who sets it hears of that in another way.
      isWriting = true;
      const answer = fabric.configure({ switchName, port }, simulatedSettings(settings));
      isWriting = false;
      return answer === 'ok' ? undefined : answer.join('; ');
    },
    neighbours: () =>
      ports().flatMap(({ name: port }) => {
        const heard = fabric.heardOn({ switchName, port });
        if (heard === undefined) return [];
        const mac = heard.mac.toLowerCase();
        return [{ port, chassisId: mac, portId: mac, systemName: heard.machine }];
      }),
    onChange: (listener) =>
      fabric.onChange((name) => {
        if (!isWriting && name.switchName === switchName) listener(name.port);
      }),
  };
}

function simulatedSettings(settings: PortSettings): SimSettings {
  const acl = (recordOfSettings(settings).acl ?? []) as readonly AclRule[];
  const { isDisabled, untaggedVlan } = settings;
  return { isDisabled, untaggedVlan, taggedVlans: idsOf(settings.taggedVlans), acl, isLldpOn: true };
}

/** Undefined for settings that the fabric would never have taken. */
function settingsOf({ isDisabled, untaggedVlan, taggedVlans, acl }: SimSettings): PortSettings | undefined {
  const read = settingsOfSpec({
    ...(untaggedVlan === undefined ? {} : { untaggedVLAN: untaggedVlan }),
    ...(taggedVlans.length === 0 ? {} : { vlans: formatVlans(vlanSetOf(taggedVlans)) }),
    acl: acl.map((rule) => ({ protocol: 'ALL', ...rule })),
    disabled: isDisabled,
  });
  return read.kind === 'settings' ? read.settings : undefined;
}
