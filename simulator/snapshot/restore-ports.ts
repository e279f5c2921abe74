import type { Fabric } from '../switches/fabric.ts';
import { SnapshotError } from './errors.ts';
import type { SavedPort } from './snapshot.ts';

/** Sets and plugs ports as they were; throws a SnapshotError for what cannot be. */
export function restorePorts(fabric: Fabric, ports: readonly SavedPort[]): void {
  // All cables out before any goes in: two that were swapped would be in each other's way.
  for (const saved of ports) {
    const there = fabric.port(saved)?.nic;
    if (there !== undefined && there.mac !== saved.nic?.mac) fabric.plug(there, undefined);
  }
  const problems = ports.flatMap((saved) => restorePort(fabric, saved));
  if (problems.length > 0) throw new SnapshotError('BadPorts', { problems: problems.join('; ') });
}

function restorePort(fabric: Fabric, saved: SavedPort): readonly string[] {
  const { settings, nic } = saved;
  const set = fabric.configure(saved, { ...settings, untaggedVlan: settings.untaggedVlan });
  const plugged = nic === undefined ? 'ok' : fabric.plug(nic, { switchName: saved.switchName, port: saved.port });
  return [set, plugged].flatMap((outcome) => (outcome === 'ok' ? [] : outcome));
}
