import { type Static, Type } from 'typebox';
import { SavedMachine } from '../machine/saved-machine.ts';

/** The form of snapshots that this version writes and reads. */
export const snapshotFormat = 1;

/** What makes two fleets the same: their servers then have the same names, hardware and cables. */
export const FleetIdentity = Type.Object({
  seed: Type.Number(),
  servers: Type.Number(),
  racks: Type.Number(),
  /** In the order in which servers take turns. */
  personalities: Type.Array(Type.String()),
});

const SavedServer = Type.Object({
  machine: SavedMachine,
  /** What was deployed. */
  disk: Type.Optional(
    Type.Object({
      url: Type.String(),
      sizeBytes: Type.Number(),
      sha256: Type.String(),
      hasConfigDrive: Type.Boolean(),
      /** How it joins a cluster; holds a token. */
      node: Type.Optional(
        Type.Object({
          server: Type.String(),
          caPem: Type.Optional(Type.String()),
          token: Type.String(),
          name: Type.String(),
          uuid: Type.String(),
        }),
      ),
    }),
  ),
});

const AclRule = Type.Object({
  type: Type.Union([Type.Literal('ipv4'), Type.Literal('ipv6')]),
  action: Type.Union([Type.Literal('allow'), Type.Literal('deny')]),
  protocol: Type.Optional(
    Type.Union([Type.Literal('TCP'), Type.Literal('UDP'), Type.Literal('ICMP'), Type.Literal('ALL')]),
  ),
  src: Type.Optional(Type.String()),
  des: Type.Optional(Type.String()),
  srcPortRange: Type.Optional(Type.String()),
  desPortRange: Type.Optional(Type.String()),
});

const SavedPort = Type.Object({
  switchName: Type.String(),
  port: Type.String(),
  settings: Type.Object({
    isDisabled: Type.Boolean(),
    untaggedVlan: Type.Optional(Type.Number()),
    taggedVlans: Type.Array(Type.Number()),
    acl: Type.Array(AclRule),
    isLldpOn: Type.Boolean(),
  }),
  /** Missing when no cable is in it. */
  nic: Type.Optional(Type.Object({ machine: Type.String(), mac: Type.String() })),
});

/** All of a data centre that outlives the process: what is as it came out of the box is left out. */
export const Snapshot = Type.Object({
  product: Type.Literal('rackwright-simulator'),
  format: Type.Literal(snapshotFormat),
  fleet: FleetIdentity,
  /** Simulated wall time, which goes on from here. */
  simulatedAt: Type.Number(),
  /** Ports that were set or plugged differently. */
  ports: Type.Array(SavedPort),
  /** By name. */
  servers: Type.Record(Type.String(), SavedServer),
});

/** What makes two fleets the same. */
export type FleetIdentity = Static<typeof FleetIdentity>;

/** One server in a snapshot. */
export type SavedServer = Static<typeof SavedServer>;

/** One switch port in a snapshot. */
export type SavedPort = Static<typeof SavedPort>;

/** All of a data centre that outlives the process. */
export type Snapshot = Static<typeof Snapshot>;
