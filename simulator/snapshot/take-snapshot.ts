import type { DataCentre } from '../data-centre.ts';
import type { Host } from '../hosts/host.ts';
import type { Fabric } from '../switches/fabric.ts';
import { type SavedPort, type SavedServer, type Snapshot, snapshotFormat } from './snapshot.ts';

/** All of a data centre that outlives the process, at this moment; it may hold passwords that were changed. */
export function takeSnapshot(dataCentre: DataCentre): Snapshot {
  const servers: Record<string, SavedServer> = {};
  for (const host of dataCentre.hosts) {
    const saved = saveServer(host);
    if (saved !== undefined) servers[host.machine.name] = saved;
  }
  return { ...snapshotHead(dataCentre), servers };
}

/** A snapshot without its servers. */
export function snapshotHead({ fleet, clock, fabric }: DataCentre): Omit<Snapshot, 'servers'> {
  return {
    product: 'rackwright-simulator',
    format: snapshotFormat,
    fleet,
    simulatedAt: clock.now(),
    ports: savePorts(fabric),
  };
}

/** One server with what is on its disk; undefined when nothing has happened to it yet. */
export function saveServer(host: Host): SavedServer | undefined {
  const machine = host.machine.save();
  if (machine === undefined) return undefined;
  return { machine, ...(host.disk === undefined ? {} : { disk: host.disk }) };
}

function savePorts(fabric: Fabric): SavedPort[] {
  return fabric.changedPorts.map(({ switchName, port, settings, nic }) => {
    const { untaggedVlan, isDisabled, isLldpOn } = settings;
    return {
      switchName,
      port,
      settings: {
        isDisabled,
        isLldpOn,
        taggedVlans: [...settings.taggedVlans],
        acl: [...settings.acl],
        ...(untaggedVlan === undefined ? {} : { untaggedVlan }),
      },
      ...(nic === undefined ? {} : { nic }),
    };
  });
}
