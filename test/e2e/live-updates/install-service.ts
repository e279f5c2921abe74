import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { until } from '../../real/ironic/until.ts';
import { patienceMs } from '../hosts/host-diary.ts';
import type { LiveMachine, Offer } from './live-machine.ts';
import type { LivePlane } from './live-plane.ts';

/** What the install service has to know of a machine before its firmware is changed without an Ironic. */
export interface InstallService {
  enrol(): Promise<void>;
  /** Puts an image into the catalogue. */
  publish(offer: Offer): Promise<void>;
  /** Whether the last install on a machine was cancelled, or is over. */
  isCancelled(machineId: string): Promise<boolean>;
}

/** Where workers are told to reach BMCs. */
export const facility = 'lab1';

interface Listed {
  readonly records: {
    readonly conditions: readonly { readonly cancel: object | null; readonly finalized_at: string | null }[];
  };
}

/** Talks to the install service about one machine. */
export function openInstallService(
  machine: LiveMachine,
  { rest, token }: Pick<LivePlane, 'rest'> & { readonly token: string },
): InstallService {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async (path: string, body?: object): Promise<{ readonly status: number; readonly text: string }> => {
    const dispatcher = new Agent(
      rest.caFile === undefined ? {} : { connect: { ca: readFileSync(rest.caFile, 'utf8') } },
    );
    const answer = await request(`${rest.url}/api/v1${path}`, {
      ...{ headers, dispatcher, method: body === undefined ? 'GET' : 'POST' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    await dispatcher.close();
    return { status: answer.statusCode, text };
  };
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const { status, text } = await send(path, body);
    assert.ok(status < 300, `${path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  // A cluster hears of a role that was bound to somebody a moment after it was.
  const untilLetIn = () =>
    until({
      what: 'the rights of whoever has the token',
      timeoutMs: patienceMs,
      look: async () => ((await send('/servers')).status === 403 ? undefined : true),
    });
  const post = async (path: string, body: object): Promise<void> => void (await ask(path, body));
  const { vendor, model, login } = machine;
  return {
    async enrol() {
      await untilLetIn();
      await post('/serverEnroll', {
        parameters: {
          ...{ facility, 'bmc-ip': machine.origin },
          ...{ 'bmc-user': login.username, 'bmc-pwd': login.password },
        },
      });
    },
    async isCancelled(machineId) {
      const { records } = (await ask(`/servers/${machineId}/condition?kind=firmwareInstall`)) as Listed;
      const [last] = records.conditions;
      return last !== undefined && (last.cancel !== null || last.finalized_at !== null);
    },
    publish: (offer) =>
      post('/server-component-firmwares', {
        ...{ vendor: vendor.toLowerCase(), component: 'bios', version: offer.version, model: [model] },
        ...{ filename: `bios-${offer.version}.bin`, repository_url: offer.url, checksum: offer.checksum },
      }),
  };
}
