import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerStatus, Pod, PodSpec, PodStatus } from './pod-object.ts';
import { podTable } from './pod-table.ts';

const now = new Date('2025-01-01T01:00:00Z');
const containers = [{ name: 'a' }, { name: 'b' }];

function row(status: PodStatus, spec: PodSpec = {}, deletionTimestamp?: string): unknown[] {
  const metadata = {
    name: 'p',
    creationTimestamp: '2025-01-01T00:00:00Z',
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec }, status };
  return podTable.row(pod, now).slice(1, 4);
}

const running = (name: string, isReady = true): ContainerStatus => ({ name, ready: isReady, state: { running: {} } });
const waiting = (name: string, reason: string, restartCount = 0): ContainerStatus => ({
  name,
  restartCount,
  state: { waiting: { reason } },
  lastState: { terminated: { finishedAt: '2025-01-01T00:59:00Z' } },
});
const ended = (name: string, exitCode: number, reason?: string): ContainerStatus => ({
  name,
  state: { terminated: { exitCode, ...(reason === undefined ? {} : { reason }) } },
});

describe('the table of pods', () => {
  const ready = [{ type: 'Ready', status: 'True' }];
  const initContainers = [{ name: 'i' }, { name: 'j' }];
  const table: [string, unknown[], unknown[]][] = [
    [
      'counts containers that are ready',
      row({ phase: 'Running', containerStatuses: [running('a'), running('b', false)] }),
      ['1/2', 'Running', '0'],
    ],
    [
      'names what a container waits for',
      row({ phase: 'Running', containerStatuses: [waiting('a', 'CrashLoopBackOff', 3), running('b')] }),
      ['1/2', 'CrashLoopBackOff', '3 (60s ago)'],
    ],
    [
      'tells how a container ended',
      row({ phase: 'Failed', containerStatuses: [ended('a', 2), ended('b', 0, 'Completed')] }),
      ['0/2', 'ExitCode:2', '0'],
    ],
    [
      'goes on while one container runs',
      row({ phase: 'Running', conditions: ready, containerStatuses: [ended('a', 0, 'Completed'), running('b')] }),
      ['1/2', 'Running', '0'],
    ],
    [
      'counts what comes before',
      row({ phase: 'Pending', initContainerStatuses: [ended('i', 0), running('j')] }, { initContainers }),
      ['0/2', 'Init:1/2', '0'],
    ],
    [
      'tells how that failed',
      row({ phase: 'Pending', initContainerStatuses: [ended('i', 1, 'Error')] }, { initContainers }),
      ['0/2', 'Init:Error', '0'],
    ],
    [
      'counts containers that run beside',
      row(
        {
          phase: 'Running',
          initContainerStatuses: [{ ...running('s'), started: true }],
          containerStatuses: [running('a'), running('b')],
        },
        { initContainers: [{ name: 's', restartPolicy: 'Always' }] },
      ),
      ['3/3', 'Running', '0'],
    ],
    [
      'sees a pod go',
      row({ phase: 'Running', containerStatuses: [running('a')] }, {}, '2025-01-01T01:00:00Z'),
      ['1/2', 'Terminating', '0'],
    ],
    [
      'says why a pod is held back',
      row({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
      ['0/2', 'SchedulingGated', '0'],
    ],
  ];
  for (const [what, seen, expected] of table) it(what, () => assert.deepEqual(seen, expected));
});
