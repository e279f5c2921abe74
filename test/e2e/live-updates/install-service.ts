import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
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
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const dispatcher = new Agent(
      rest.caFile === undefined ? {} : { connect: { ca: readFileSync(rest.caFile, 'utf8') } },
    );
    const answer = await request(`${rest.url}/api/v1${path}`, {
      ...{ headers, dispatcher, method: body === undefined ? 'GET' : 'POST' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    await dispatcher.close();
    assert.ok(answer.statusCode < 300, `${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  const post = async (path: string, body: object): Promise<void> => void (await ask(path, body));
  const { vendor, model, login } = machine;
  return {
    enrol: () =>
      post('/serverEnroll', {
        parameters: {
          ...{ facility, 'bmc-ip': machine.origin },
          ...{ 'bmc-user': login.username, 'bmc-pwd': login.password },
        },
      }),
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
