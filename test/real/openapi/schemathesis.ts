import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Values of a parameter that lead somewhere. */
export interface KnownValues {
  /** Only in operations whose path matches; in all of them unless given. */
  readonly path?: string;
  /** As `path.uuid` or `body.workerId`. */
  readonly name: string;
  readonly values: readonly (string | number)[];
  /** How often one of them is taken instead of one that is made up; 0.8 unless given. */
  readonly share?: number;
}

/** What does not apply to some operations, by their ids. */
export interface Exception {
  readonly operations: readonly string[];
  /** For the reader. */
  readonly because: string;
  /** A check that is not made. */
  readonly without?: string;
  /** The statuses that are no failure of the server: `4xx`, `501`. */
  readonly expected?: readonly string[];
  /** Phases that are left out. */
  readonly withoutPhases?: readonly Phase[];
}

/** How schemathesis makes requests: by the limits of each schema, at random, and in sequences. */
export type Phase = 'coverage' | 'fuzzing' | 'stateful';

/** What is tried. */
export interface FuzzWish {
  readonly checks: readonly string[];
  readonly phases: readonly Phase[];
  /** Requests that keep to the document, or also such that do not. */
  readonly mode: 'positive' | 'all';
  /** Whether texts may hold U+0000, which no schema can forbid deep inside of what anybody may write. */
  readonly isNulAllowed: boolean;
  /** Random requests for each operation. */
  readonly examples: number;
  readonly exceptions: readonly Exception[];
}

/** Where it is tried. */
export interface FuzzPlan extends FuzzWish {
  /** Of schemathesis. */
  readonly program: string;
  /** An OpenAPI document in a file. */
  readonly document: string;
  readonly url: string;
  /** Without one every request goes without. */
  readonly token: string | undefined;
  readonly known: readonly KnownValues[];
  /** For settings and what schemathesis leaves. */
  readonly folder: string;
}

/** What came of it. */
export interface FuzzOutcome {
  readonly hasPassed: boolean;
  /** All that schemathesis printed. */
  readonly printed: string;
}

/** Runs schemathesis to its end: the same requests at every run, one at a time. */
export async function fuzz(plan: FuzzPlan): Promise<FuzzOutcome> {
  mkdirSync(plan.folder, { recursive: true });
  const config = join(plan.folder, 'schemathesis.toml');
  writeFileSync(config, settingsOf(plan), { mode: 0o600 });
  const args = ['--config-file', config, 'run', plan.document, '--url', plan.url, '--no-color'];
  const child = spawn(plan.program, args, { cwd: plan.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const add = (chunk: Buffer): void => {
    printed += chunk.toString();
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const [code] = await once(child, 'close');
  return { hasPassed: code === 0, printed };
}

/** How what breaks the document is refused; what is made up may also be too large to be looked at. */
const rejections = ['400', '401', '403', '404', '405', '413', '415', '422'];

/** A machine that has much else to do may keep a request waiting; one that is never answered is a failure. */
const patienceSeconds = 120;

const allPhases = ['examples', 'coverage', 'fuzzing', 'stateful'];

/** Settings in TOML, whose texts and lists are written as in JSON. */
function settingsOf(plan: FuzzPlan): string {
  const { token, checks, phases, known } = plan;
  const paths = [...new Set(known.flatMap(({ path }) => path ?? []))];
  const bind = (one: KnownValues) =>
    `${JSON.stringify(one.name)} = { dictionary = "d${known.indexOf(one)}", probability = ${one.share ?? 0.8} }`;
  return [
    ...['workers = 1', 'continue-on-failure = true', 'warnings = false', `request-timeout = ${patienceSeconds}`],
    ...(token === undefined ? [] : ['[auth.openapi.bearer]', `bearer = ${JSON.stringify(token)}`]),
    ...known.flatMap(({ values }, index) => [`[dictionaries.d${index}]`, `values = ${JSON.stringify(values)}`]),
    ...['[parameters]', ...known.filter(({ path }) => path === undefined).map(bind)],
    ...['[generation]', `mode = "${plan.mode}"`, `max-examples = ${plan.examples}`, `allow-x00 = ${plan.isNulAllowed}`],
    ...['deterministic = true', 'no-shrink = true', 'database = "none"'],
    ...['[checks]', 'enabled = false', ...checks.map((name) => `${name}.enabled = true`)],
    `negative_data_rejection.expected-statuses = ${JSON.stringify(rejections)}`,
    ...['[phases]', ...allPhases.map((name) => `${name}.enabled = ${phases.includes(name as Phase)}`)],
    ...paths.flatMap((path) => [
      ...['[[operations]]', `include-path-regex = ${JSON.stringify(path)}`, '[operations.parameters]'],
      ...known.filter((one) => one.path === path).map(bind),
    ]),
    ...plan.exceptions.flatMap(exceptionLines),
    '',
  ].join('\n');
}

function exceptionLines(exception: Exception): string[] {
  const { operations, without, expected, withoutPhases = [] } = exception;
  return [
    ...['[[operations]]', `include-operation-id = ${JSON.stringify(operations)}`],
    ...(without === undefined ? [] : [`checks.${without}.enabled = false`]),
    ...(expected === undefined ? [] : [`checks.not_a_server_error.expected-statuses = ${JSON.stringify(expected)}`]),
    ...withoutPhases.map((name) => `phases.${name}.enabled = false`),
  ];
}
