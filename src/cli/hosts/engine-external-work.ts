import { ironcoreReasons } from '../../api/index.ts';
import { parseBmcAddress, usableSerial } from '../../bmc/index.ts';
import {
  type Alias,
  type Engine,
  type ExternalWorkOptions,
  type HeldBack,
  openExternalWork,
} from '../../engine/index.ts';
import type { HostName, HostTurn, MachineClaims, OpenExternalWork } from '../../hosts/index.ts';
import { claimOwnerOf, type HostBmcAddress, type HostIdentity, readBmcAddress } from '../../provisioners/index.ts';

const askAgainMs = 10_000;

/** What work outside is watched with. */
export interface EngineExternalWorkOptions extends Pick<ExternalWorkOptions, 'clock' | 'logger'> {
  readonly engine: Engine;
}

/**
 * Keeps the workers of the engine away from machines that a provisioner works on, and the other way round. Only the leader
 * watches work outside, so one name serves whichever process that is.
 */
export function openEngineExternalWork({ engine, clock, logger }: EngineExternalWorkOptions): OpenExternalWork {
  const desk = openExternalWork({ engine, clock, logger, watcher: 'hosts' });
  return {
    async hold(host, what) {
      const held = await desk.hold({ ...orderOf(host), what });
      return held.kind === 'waits' ? { kind: 'refused', message: held.reason, afterMs: askAgainMs } : { kind: 'held' };
    },
    release: (host) => desk.release(orderOf(host)),
    releaseOwner: (host) => desk.releaseOwner(claimOwnerOf(host)),
    async owners() {
      return (await desk.owners()).flatMap((owner) => hostOf(owner) ?? []);
    },
    claims: claimsIn(engine),
    close: () => desk.close(),
  };
}

function claimsIn({ claims, onHint }: Engine): MachineClaims {
  // Of claims the engine gives no hints; those that matter here are made here.
  const listeners = new Set<() => void>();
  return {
    async claim(host, { use }) {
      await claims.put({ owner: claimOwnerOf(host), names: aliasesOf(host), use: inUse(host, use) });
      for (const listener of listeners) listener();
    },
    async owners() {
      return (await claims.owners()).flatMap((owner) => hostOf(owner) ?? []);
    },
    unclaim: (host) => claims.remove(claimOwnerOf(host)),
    async turns() {
      return (await claims.due()).flatMap(({ owner, turn }): HostTurn[] => {
        const host = hostOf(owner);
        return host === undefined ? [] : [{ host, kind: turn === 'asked' ? 'make-way' : 'take-back' }];
      });
    },
    done: ({ host, kind }) => claims.done({ owner: claimOwnerOf(host), turn: kind === 'make-way' ? 'asked' : 'over' }),
    async isOurs(host) {
      const claim = await claims.get(claimOwnerOf(host));
      return claim === undefined || claim.turn === 'theirs';
    },
    async waiting() {
      return (await claims.owners({ turn: 'ours' })).flatMap((owner) => hostOf(owner) ?? []);
    },
    onChange(listener) {
      const unlisten = onHint(listener);
      listeners.add(listener);
      return () => {
        unlisten();
        listeners.delete(listener);
      };
    },
  };
}

/** Whoever asks for work on it is told what to wait for. */
function inUse(host: HostName, use: string | undefined): HeldBack | undefined {
  if (use === undefined) return undefined;
  const way =
    'to change its firmware in use, write it into its HostFirmwareSettings or HostFirmwareComponents, allow that by a HostUpdatePolicy (onReboot), and reboot it';
  const message = `${claimOwnerOf(host)} is in use (${use}); what would disturb it waits until it is deprovisioned; ${way}`;
  return { code: ironcoreReasons.hostInUse, message };
}

function hostOf(owner: string): HostName | undefined {
  const [, namespace, name] = /^BareMetalHost ([^/]*)\/(.+)$/.exec(owner) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function orderOf(host: HostIdentity): { readonly aliases: readonly Alias[]; readonly owner: string } {
  return { aliases: aliasesOf(host), owner: claimOwnerOf(host) };
}

/** All that the engine may know the machine by. A provisioner that goes by BMCs has the id that the inventory has. */
function aliasesOf({ id, isIdNoted, bmc, bootMacAddress, marks, hardware = marks }: HostIdentity): readonly Alias[] {
  const reading = bmc === undefined ? undefined : readBmcAddress(bmc.address);
  const names = reading?.kind === 'known' ? namesOf(reading.address) : [];
  const ids = id === undefined || isIdNoted === true ? [] : [id];
  const read = (hardware?.macs ?? []).filter(isOfOneMachine);
  const macs = [...(bootMacAddress === undefined ? [] : [bootMacAddress]), ...read];
  const serial = usableSerial(hardware?.serialNumber);
  const serials = serial === undefined ? [] : [serial];
  return [
    ...ids.map((value) => ({ kind: 'machine-id' as const, value })),
    ...names.map((value) => ({ kind: 'bmc-address' as const, value })),
    ...macs.map((value) => ({ kind: 'mac' as const, value })),
    ...serials.map((value) => ({ kind: 'serial' as const, value })),
  ];
}

/** Vendors give the port between host and BMC one local MAC in all machines; QEMU gives each virtual NIC its own. */
function isOfOneMachine(mac: string): boolean {
  const isLocal = (Number.parseInt(mac.slice(0, 2), 16) & 0b10) !== 0;
  return !isLocal || mac.startsWith('52:54:00:');
}

/** The system that the host names. IPMI at its usual port is another way to the BMC whose Redfish is at its usual port. */
function namesOf({ protocol, host, port, system }: HostBmcAddress): readonly string[] {
  const isUsual = protocol === 'ipmi' && port === 623;
  return isUsual ? [system, parseBmcAddress(host).bmc] : [system];
}
