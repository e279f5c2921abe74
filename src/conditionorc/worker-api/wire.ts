import { type Static, Type } from 'typebox';
import type { Condition, JsonObject, Lease, PreviousHolder, WorkReport } from '../../engine/index.ts';
import { AnyObject, ListOf, Struct, Text, Uuid } from '../../rest/index.ts';

/** The longest that one request waits for work or for a slot. */
export const longestWaitMs = 25_000;

const WorkerId = Text('The id of a worker, unique in each life of its process.', { minLength: 1, maxLength: 255 });
const Names = (description: string, minItems: number) =>
  ListOf(Text('A name.', { minLength: 1, maxLength: 100 }), description, { minItems, maxItems: 200 });
const WaitMs = Type.Integer({ minimum: 0, maximum: longestWaitMs, description: 'How long to wait for something.' });

/** A worker says what it can do. */
export const OnlineBody = Struct(
  {
    workerId: WorkerId,
    kinds: Names('What it can do.', 1),
    facilities: Names('Where.', 0),
    isFencedByHeartbeats: Type.Optional(
      Type.Boolean({
        description:
          'Its leases end when its heartbeats do: it stops by itself when none was taken for `lostAfterMs` of a lease, and says with each check how long the request that follows may reach the device.',
      }),
    ),
  },
  { title: 'WorkerIdentity', description: 'A worker and what it can do.' },
);

/** A worker says that it is there, or that it leaves. */
export const WorkerBody = Struct({ workerId: WorkerId }, { title: 'WorkerName', description: 'A worker.' });

/** A worker asks for work. */
export const LeaseBody = Struct(
  {
    workerId: WorkerId,
    max: Type.Integer({ minimum: 0, maximum: 1000, description: 'The most leases to give.' }),
    waitMs: WaitMs,
    target: Type.Optional(Text('Only work on this target.', { minLength: 1, maxLength: 512 })),
    seen: Type.Optional(Text('The batch that arrived last; another one that was sent is sent again.')),
  },
  { title: 'LeaseRequest', description: 'A worker asks for work.' },
);

const SystemIdentity = Struct({
  uuid: Type.Optional(Uuid('Its UUID.')),
  serial: Type.Optional(Text('Its serial number.', { maxLength: 255 })),
});

const held = {
  conditionId: Uuid('The condition.'),
  token: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'The token of the lease.' }),
};

/** A lease as its holder names it. */
export const HeldBody = Struct(held, { title: 'HeldLease', description: 'A lease as its holder names it.' });

/** A worker asks whether it holds a lease. */
export const CheckBody = Struct(
  {
    ...held,
    requestMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400_000,
        description:
          'How long the disruptive request that follows may reach the device; as long as the kind says unless given, 0 where none follows.',
      }),
    ),
  },
  { title: 'LeaseCheck', description: 'A worker asks whether it holds a lease.' },
);

/** A worker reports; each report is progress and renews the lease. */
export const ReportBody = Struct(
  {
    ...held,
    report: Struct({
      state: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('failed'), Type.Literal('succeeded')])),
      status: Type.Optional(AnyObject('What people are told.')),
      progress: Type.Optional(AnyObject('What is needed to go on after a crash.')),
      sessionUri: Type.Optional(Text('The Redfish session in use.')),
      isCancelUnsafe: Type.Optional(Type.Boolean({ description: 'True while a flash goes on.' })),
      bmc: Type.Optional(
        Struct({
          system: Type.Optional(SystemIdentity),
          systems: Type.Array(SystemIdentity, { maxItems: 64, description: 'All systems behind the BMC.' }),
          serviceUuid: Type.Optional(Uuid('The UUID of its service root.')),
        }),
      ),
      reason: Type.Optional(
        Struct({
          code: Text('One word.', { minLength: 1, maxLength: 100 }),
          message: Text('For people.', { maxLength: 8192 }),
        }),
      ),
    }),
  },
  { title: 'WorkReport', description: 'What a worker reports.' },
);

/** A worker gives work back. */
export const ReleaseBody = Struct(
  {
    ...held,
    why: Text('Why.', { maxLength: 8192 }),
    afterMs: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400_000, description: 'Not again before that.' })),
    isNotCounted: Type.Optional(Type.Boolean({ description: 'The work is not to blame for waiting.' })),
    areLeftoversKept: Type.Optional(Type.Boolean({ description: 'Nothing was done under the lease.' })),
    isHolderGone: Type.Optional(
      Type.Boolean({ description: 'Whoever held it died: its session has to be ended by who comes next.' }),
    ),
  },
  { title: 'Release', description: 'Work that is given back.' },
);

/** A worker asks for one of the slots that limit uploads, or gives it back. */
export const SlotBody = Struct(
  { ...held, name: Type.Literal('upload', { description: 'What the slots limit.' }), waitMs: Type.Optional(WaitMs) },
  { title: 'SlotRequest', description: 'One of the slots that limit something.' },
);

const Previous = Struct({
  controller: Type.String(),
  token: Type.Integer(),
  sessionUri: Type.Optional(Type.String()),
});

/** What a request for work is answered with. */
export const LeaseAnswer = Struct(
  {
    batch: Type.String({ description: 'To be named as `seen` by the next request.' }),
    leases: Type.Array(
      Struct({
        condition: AnyObject('The condition, with the progress of those who had it before.'),
        token: Type.Integer({ description: 'The fencing token.' }),
        until: Type.Integer({ description: 'When it ends without progress, by the clock of the store.' }),
        leaseMs: Type.Integer({ description: 'How long it lasts without progress.' }),
        lostAfterMs: Type.Optional(
          Type.Integer({ description: 'How long its holder may be silent, where it is fenced by heartbeats.' }),
        ),
        isCancelUnsafe: Type.Optional(
          Type.Boolean({ description: 'A flash may go on that the holder before began: a cancel has to wait.' }),
        ),
        previous: Type.Optional(Previous),
        leftovers: Type.Array(Previous, { description: 'Whose sessions have to be ended first.' }),
      }),
    ),
  },
  { title: 'Leases', description: 'Work that was given out.' },
);

/** What a report is answered with. */
export const ReportAnswer = Struct(
  {
    outcome: Type.Union([Type.Literal('kept'), Type.Literal('lost')]),
    until: Type.Optional(Type.Integer()),
    cancel: Type.Optional(AnyObject('Somebody asked to cancel: at, isForced, by.')),
    why: Type.Optional(Type.String({ description: 'Why it was lost.' })),
  },
  { title: 'ReportOutcome', description: 'Whether the lease is held, and until when.' },
);

/** Whether a slot was given. */
export const SlotAnswer = Struct(
  { outcome: Type.Union([Type.Literal('granted'), Type.Literal('waiting')]) },
  { title: 'SlotOutcome', description: 'Granted, or to be asked for again at once.' },
);

/** A report in the words of the engine. */
export function readReport(body: Static<typeof ReportBody>['report']): WorkReport {
  const kept = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as WorkReport;
}

/** A lease as it travels. */
export function showLease(lease: Lease): JsonObject {
  return JSON.parse(JSON.stringify(lease)) as JsonObject;
}

/** JSON has no `undefined`: members without a value are missing from what arrives. */
export function readLease(wire: JsonObject): Lease {
  const { condition, previous, leftovers, ...rest } = wire as unknown as Omit<Lease, 'previous'> & {
    readonly previous?: PreviousHolder;
  };
  const absent = {
    controller: undefined,
    reason: undefined,
    leaseUntil: undefined,
    cancel: undefined,
    deadline: undefined,
    finalizedAt: undefined,
  };
  return {
    ...rest,
    condition: { ...absent, ...condition } as Condition,
    previous: previous === undefined ? undefined : readPrevious(previous),
    leftovers: leftovers.map(readPrevious),
  };
}

function readPrevious({ controller, token, sessionUri }: PreviousHolder): PreviousHolder {
  return { controller, token, sessionUri };
}
