import { MainThreadSteps } from '../../kube/index.ts';
import type { Json } from '../../schema/index.ts';
import { type EncodedBody, type ReadValue, readLightValue, readValue } from '../http/read-value.ts';
import type { HeavyLimits } from '../overload/limits.ts';
import { WorkBudget } from '../overload/work-budget.ts';
import type { TypeName } from '../protobuf/index.ts';
import { ApiError, tooLarge } from '../status.ts';
import { countValues, type WrittenForm, writeForm } from './text-task.ts';
import { TextThreads } from './text-threads.ts';

/** What one request has done that may take long. */
export interface RequestWork {
  /** Reads a body; a promise when another thread does it. */
  read(body: EncodedBody, expected: TypeName): ReadValue | Promise<ReadValue>;
  /** Announces work on a stored text; throws 429 when it is large and the client has had its share of such work. */
  takeOn(storedText: string): void;
  /** Where others may have their turn: undefined for a request that takes no time to speak of. */
  pause(): Promise<void> | undefined;
  /** The same for one text of many, of which it takes some to make others wait. */
  pauseAfter(text: string): Promise<void> | undefined;
}

/** The work of a request that the server makes to itself. */
export const lightWork: RequestWork = {
  read: readValue,
  takeOn: () => undefined,
  pause: () => undefined,
  pauseAfter: () => undefined,
};

/** Texts from this size on are written in another form by a thread. */
const heavyTextBytes = 32 * 1024;
/** Texts of stored objects from this size on are heavy to work on. */
const heavyStoredBytes = 64 * 1024;
/** How much text is worked on between two pauses. */
const sliceBytes = 512 * 1024;
/** How many bytes of a text cost as much as one value. */
const bytesPerValue = 128;

/** Keeps what takes long from stopping everything else: on other threads, or in steps, and no more for each client than its share. */
export class HeavyWork {
  readonly #limits: HeavyLimits;
  readonly #threads: TextThreads;
  readonly #steps = new MainThreadSteps();
  readonly #budget: WorkBudget;

  constructor(limits: HeavyLimits, now: () => number) {
    this.#limits = limits;
    this.#threads = new TextThreads(limits);
    this.#budget = new WorkBudget(limits, now);
  }

  /** The work of one request of a client. */
  of(client: string): RequestWork {
    let isHeavy = false;
    let passed = 0;
    return {
      read: (body, expected) => {
        const light = readLightValue(body, expected);
        if (light !== undefined) return light;
        isHeavy = true;
        return this.#read(client, body, expected);
      },
      takeOn: ({ length }) => {
        if (length < heavyStoredBytes) return;
        isHeavy = true;
        this.#budget.check(client);
        this.#budget.charge(client, length / bytesPerValue);
      },
      pause: () => (isHeavy ? this.#steps.turn() : undefined),
      pauseAfter: ({ length }) => {
        passed += length;
        if (passed < sliceBytes) return undefined;
        passed = 0;
        return this.#steps.turn();
      },
    };
  }

  /** Writes a JSON text in another form; a promise when a thread does it. */
  write(client: string, json: string, form: WrittenForm): string | Promise<string> {
    return json.length < heavyTextBytes ? writeForm(json, form) : this.#write(client, json, form);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  async #read(client: string, body: EncodedBody, expected: TypeName): Promise<ReadValue> {
    const { bytes, mediaType } = body;
    const { apiVersion, kind } = expected;
    const task = { kind: 'read', bytes, mediaType, expected: { apiVersion, kind } } as const;
    const begin = (): void => {
      this.#budget.check(client);
      this.#budget.charge(client, bytes.length / bytesPerValue);
    };
    const result = await this.#threads.run(client, task, begin);
    if (result.kind === 'fault') return { error: result.error, type: result.type };
    if (result.kind !== 'value') throw this.#tooMuch(result.kind);
    await this.#steps.turn();
    const value = JSON.parse(result.json) as Json;
    this.#budget.charge(client, countValues(value, this.#limits.mostValues));
    return { value, duplicates: () => result.duplicates, overflow: () => result.overflow };
  }

  async #write(client: string, json: string, form: WrittenForm): Promise<string> {
    const result = await this.#threads.run(client, { kind: 'write', json, form });
    if (result.kind === 'text') return result.text;
    throw new ApiError({
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'writing the answer in this form takes too much work; ask for JSON, or for less with limit',
    });
  }

  #tooMuch(kind: string): ApiError {
    const { mostValues } = this.#limits;
    return kind === 'too-many-values'
      ? tooLarge(`Request entity too large: it holds more than ${mostValues} values`)
      : tooLarge('Request entity too large: reading it takes more work than one request may');
  }
}
