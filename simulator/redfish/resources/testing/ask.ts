import { createMachine } from '../../../machine/create-machine.ts';
import type { Machine } from '../../../machine/machine.ts';
import type { Personality } from '../../../personalities/personality.ts';
import { plainPersonality } from '../../../personalities/testing/plain-personality.ts';
import { createSteppedClock, type SteppedClock } from '../../../time/stepped-clock.ts';
import { compileRoutes } from '../../front/route-table.ts';
import type { JsonObject, RedfishAnswer, UploadedFile } from '../../route.ts';
import { sharedRoutes } from '../index.ts';

/** What a test asks for. */
export interface Question {
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly upload?: UploadedFile;
}

/** A machine that can be asked without HTTP. */
export interface AskedMachine {
  readonly machine: Machine;
  readonly clock: SteppedClock;
  get(path: string): Promise<JsonObject>;
  /** 404 or 405 where no route takes the method. */
  ask(method: 'GET' | 'PATCH' | 'POST' | 'DELETE', path: string, question?: Question): Promise<RedfishAnswer>;
}

/** Makes a machine of a personality, the plain one unless given, and a way to ask it. */
export function createAskedMachine(order: { personality?: Personality; isPoweredOn?: boolean } = {}): AskedMachine {
  const personality = order.personality ?? plainPersonality;
  const clock = createSteppedClock();
  const hardware = personality.describe({ model: personality.models[0] ?? '', index: 1, random: () => 0.5 });
  const machine = createMachine({
    name: 'r01-s01',
    personality,
    hardware,
    clock,
    seed: 1,
    username: 'admin',
    password: 'right-password',
    isPoweredOn: order.isPoweredOn ?? true,
    neighbourOf: (mac) =>
      mac === hardware.nics[0]?.ports[0]?.mac
        ? { chassisId: '02:aa:00:00:00:01', systemName: 'tor-1', portId: 'Ethernet1/7' }
        : undefined,
  });
  const table = compileRoutes(personality.routes, sharedRoutes);
  const ask: AskedMachine['ask'] = async (method, path, question = {}) => {
    const match = table.match(path);
    const entry = match?.handler(method.toLowerCase() as 'get' | 'patch' | 'post' | 'delete');
    if (entry === undefined) return { status: match === undefined ? 404 : 405 };
    return entry.handle({
      machine,
      method,
      path,
      params: entry.params,
      query: new URLSearchParams(),
      headers: { host: '127.0.0.9:8443', ...question.headers },
      body: question.body ?? {},
      ...(question.upload && { upload: question.upload }),
    });
  };
  return {
    machine,
    clock,
    ask,
    get: async (path) => {
      const answer = await ask('GET', path);
      if (answer.status !== 200 || answer.body === undefined) throw new Error(`GET ${path} gave ${answer.status}`);
      return answer.body;
    },
  };
}
