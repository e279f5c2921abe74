import assert from 'node:assert/strict';
import type { ComponentType } from '../../simulator/index.ts';
import { type FaultCase, toTold } from './fault-case.ts';
import type { Visit } from './fault-room.ts';
import { install, type Patience, type Told } from './install.ts';

const minute = 60_000;

/** Installs a component; whatever the BMC said, the version that the machine really has is what was told. */
function installing(component: ComponentType, patience: Patience = {}) {
  return async (visit: Visit): Promise<Told> => {
    const { bmc, machine, personality } = visit;
    const release = await visit.release(component);
    const told = await install(bmc, release, patience).catch(toTold);
    const isThere = machine.firmware.some((slot) => slot.component === component && slot.version === release.version);
    assert.equal(
      told.code === 'installed',
      isThere,
      `${personality} tells ${JSON.stringify(told)}\n${machine.log.text()}`,
    );
    return told;
  };
}

const components = ['bios', 'bmc'] as const;

const hangs = components.map(
  (component): FaultCase => ({
    kind: 'flash-hangs',
    title: `the update of the ${component} is given up at its deadline, and said to stand still`,
    ending: {
      does: 'fails',
      code: 'deadline',
      says: [/not over after 5400 s/, /nothing has moved for \d+ s/],
    },
    rules: [{}],
    withinMs: 150 * minute,
    work: installing(component, { followMs: 90 * minute }),
  }),
);

const failing: readonly FaultCase[] = components.flatMap((component): FaultCase[] => [
  {
    kind: 'flash-hangs',
    title: `a flash of the ${component} that fails after half an hour is told with the BMC's words`,
    ending: {
      does: 'fails',
      code: 'failed',
      says: [/^task \/redfish\S+ \(.+\) ended as Exception\/Critical: \S+/, /writ/],
    },
    rules: [{ durationMs: 30 * minute }],
    withinMs: 150 * minute,
    work: installing(component),
  },
  {
    kind: 'task-completed-critical',
    title: `a task of the ${component} that is Completed and Critical has failed`,
    ending: { does: 'fails', code: 'failed', says: [/^task \/redfish\S+ \(.+\) ended as Completed\/Critical: \S+/] },
    rules: [{}],
    work: installing(component),
  },
  {
    kind: 'version-stays',
    title: `a task of the ${component} that completes while the old version stays is found out`,
    ending: { does: 'fails', code: 'other-version', says: [/\S+ has \S.* and not \S+/] },
    rules: [{}],
    withinMs: 240 * minute,
    work: installing(component),
  },
  {
    kind: 'task-vanishes',
    title: `the version of the ${component} tells what the task does not tell any more`,
    ending: { does: 'verifies' },
    rules: [{}],
    work: installing(component),
  },
  {
    kind: 'task-vanishes',
    title: `a ${component} whose task vanished and whose version stays is found out`,
    ending: { does: 'fails', code: 'other-version', says: [/\S+ has \S.* and not \S+/] },
    rules: [{}, { kind: 'version-stays' }],
    withinMs: 240 * minute,
    work: installing(component),
  },
  {
    kind: 'unreachable-after-flash',
    title: `a BMC that is away for twenty minutes after the flash of the ${component} is waited for`,
    ending: { does: 'waits', leastMs: 20 * minute },
    rules: [{ durationMs: 20 * minute }],
    work: installing(component),
  },
]);

const barred: readonly FaultCase[] = [
  {
    kind: 'unauthorized-while-updating',
    title: 'a BMC that knows nobody while it is written is waited for, and its account is not locked',
    ending: { does: 'waits', leastMs: minute },
    rules: [{}],
    work: installing('bmc'),
  },
  {
    kind: 'unauthorized-while-updating',
    title: 'a BMC that knows nobody, and is then away for long, is waited for',
    ending: { does: 'waits', leastMs: 15 * minute },
    rules: [{}, { kind: 'unreachable-after-flash', durationMs: 15 * minute }],
    work: installing('bmc'),
  },
];

const pulls: readonly FaultCase[] = [
  {
    kind: 'image-download-fails',
    title: "an image that the BMC could not fetch is told with the BMC's words",
    ending: {
      does: 'fails',
      code: 'failed',
      says: [/^task \/redfish\S+ \(.+\) ended as Exception\/Critical: .*download/i],
    },
    rules: [{}],
    personalities: ['dell-idrac9', 'hpe-ilo5', 'hpe-ilo6'],
    work: installing('bios', { via: 'pull' }),
  },
  {
    kind: 'image-download-fails',
    title: 'an image that could not be fetched is never told to start where that is a step of its own',
    ending: {
      does: 'fails',
      code: 'taskFailed',
      says: [/on the BMC at http:\S+ ended as failed: .*could not be downloaded/],
    },
    rules: [{}],
    personalities: ['supermicro-x12'],
    work: installing('bios', { via: 'pull' }),
  },
];

/** Faults of updates. */
export const updateFaultCases: readonly FaultCase[] = [...hangs, ...failing, ...barred, ...pulls];
