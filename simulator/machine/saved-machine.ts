import { type Static, Type } from 'typebox';

const BiosValues = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]));

const BootDevice = Type.Union([
  Type.Literal('disk'),
  Type.Literal('pxe'),
  Type.Literal('cd'),
  Type.Literal('http'),
  Type.Literal('bios'),
]);

const SavedSlot = Type.Object({
  version: Type.String(),
  previousVersion: Type.Optional(Type.String()),
  pendingVersion: Type.Optional(Type.String()),
});

/** Whether a host is on; one that is on its way through POST has to start over. */
export const SavedPower = Type.Object({
  state: Type.Union([Type.Literal('off'), Type.Literal('starting'), Type.Literal('running')]),
  bootedFrom: Type.Optional(BootDevice),
});

/** A boot override. */
export const SavedBoot = Type.Object({
  enabled: Type.Union([Type.Literal('Disabled'), Type.Literal('Once'), Type.Literal('Continuous')]),
  target: Type.String(),
  mode: Type.Union([Type.Literal('UEFI'), Type.Literal('Legacy')]),
  httpUri: Type.String(),
});

/** BIOS attributes that are not at their defaults, and those that wait for a reset. */
export const SavedBios = Type.Object({
  changed: BiosValues,
  pending: BiosValues,
  applied: Type.Optional(Type.Object({ at: Type.Number(), messageId: Type.String() })),
});

/** A task of an update or of BIOS settings that wait. */
export const SavedTask = Type.Object({
  id: Type.String(),
  kind: Type.Union([Type.Literal('firmware'), Type.Literal('bios'), Type.Literal('power')]),
  startedAt: Type.Number(),
  endedAt: Type.Optional(Type.Number()),
  updateId: Type.Optional(Type.String()),
  stage: Type.Optional(Type.Union([Type.Literal('verify'), Type.Literal('install')])),
  state: Type.Union([Type.Literal('Pending'), Type.Literal('Completed')]),
  percent: Type.Number(),
});

/** An update that waits for a reset, for its turn or for its start. */
export const SavedUpdate = Type.Object({
  id: Type.String(),
  via: Type.Union([Type.Literal('multipart'), Type.Literal('push'), Type.Literal('pull')]),
  applyTime: Type.Union([
    Type.Literal('Immediate'),
    Type.Literal('OnReset'),
    Type.Literal('OnStartUpdateRequest'),
    Type.Literal('AtMaintenanceWindowStart'),
    Type.Literal('InMaintenanceWindowOnReset'),
    Type.Literal('OnTargetReset'),
  ]),
  targets: Type.Array(Type.String()),
  header: Type.Object({
    vendor: Type.String(),
    models: Type.Array(Type.String()),
    softwareId: Type.String(),
    component: Type.String(),
    version: Type.String(),
    payloadBytes: Type.Number(),
    payloadSha256: Type.String(),
  }),
  slots: Type.Array(Type.String()),
  phase: Type.Union([Type.Literal('uploaded'), Type.Literal('scheduled'), Type.Literal('activating')]),
  waitsFor: Type.Union([Type.Literal('reset'), Type.Literal('turn'), Type.Literal('start')]),
  task: SavedTask,
});

/** The BMC's own settings. */
export const SavedManager = Type.Object({
  indicator: Type.Union([Type.Literal('Lit'), Type.Literal('Off'), Type.Literal('Blinking')]),
  clockOffsetMs: Type.Number(),
});

/** Push subscriptions. */
export const SavedEvents = Type.Object({
  subscriptions: Type.Array(Type.Object({ id: Type.String(), destination: Type.String(), context: Type.String() })),
});

/** What a BMC has handed out: ids are not given twice, or a client would take a new task for the one it knows. */
const SavedCounts = Type.Object({
  tasks: Type.Number(),
  updates: Type.Number(),
  sessions: Type.Number(),
  subscriptions: Type.Number(),
});

/**
 * What a machine keeps when the simulator stops: all that a real one keeps on flash and disk, and whether it was on. Parts
 * that are as they come out of the box are left out.
 */
export const SavedMachine = Type.Object({
  power: SavedPower,
  counts: SavedCounts,
  /** By slot; those that are not as they were out of the box. */
  firmware: Type.Optional(Type.Record(Type.String(), SavedSlot)),
  bios: Type.Optional(SavedBios),
  biosTask: Type.Optional(SavedTask),
  boot: Type.Optional(SavedBoot),
  /** Only one that was changed. */
  password: Type.Optional(Type.String()),
  media: Type.Optional(
    Type.Record(Type.String(), Type.Object({ image: Type.String(), isWriteProtected: Type.Boolean() })),
  ),
  notes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  updates: Type.Optional(Type.Array(SavedUpdate)),
  manager: Type.Optional(SavedManager),
  events: Type.Optional(SavedEvents),
});

export type SavedPower = Static<typeof SavedPower>;
export type SavedBoot = Static<typeof SavedBoot>;
export type SavedBios = Static<typeof SavedBios>;
export type SavedTask = Static<typeof SavedTask>;
export type SavedUpdate = Static<typeof SavedUpdate>;
export type SavedManager = Static<typeof SavedManager>;
export type SavedEvents = Static<typeof SavedEvents>;
export type SavedMachine = Static<typeof SavedMachine>;
