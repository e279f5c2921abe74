// Tables of codes are read where they are: nothing but these pages wants them whole.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hostErrorTypes } from '../src/api/index.ts';
import { storeErrors as dataErrors } from '../src/apiserver/store/errors.ts';
import { bmcErrors } from '../src/bmc/index.ts';
import { catalogErrors } from '../src/catalogs/errors.ts';
import { exitCodes } from '../src/cli/errors.ts';
import { orcErrors } from '../src/conditionorc/errors.ts';
import { busErrors } from '../src/engine/bus/errors.ts';
import { engineErrors } from '../src/engine/errors.ts';
import { storeErrors as databaseErrors } from '../src/engine/store/errors.ts';
import { firmwareErrors } from '../src/firmware/errors.ts';
import { storeErrors as imageErrors } from '../src/firmware-store/errors.ts';
import { flasherErrors } from '../src/flasher/errors.ts';
import { hostErrors } from '../src/hosts/errors.ts';
import { jobErrors } from '../src/jobs/errors.ts';
import { strategyErrors } from '../src/jobs/strategies/errors.ts';
import { kubeErrors, type RetryClass } from '../src/kube/index.ts';
import { networkErrors } from '../src/network/errors.ts';
import { agentErrors } from '../src/provisioners/agent/errors.ts';
import { ironicErrors } from '../src/provisioners/ironic/client/ironic-error.ts';
import { restErrors } from '../src/rest/errors.ts';
import { inventoryErrors } from '../src/serverservice/errors.ts';
import { updateErrors } from '../src/update-service/errors.ts';
import { launchErrors } from '../src/update-service/launchers/launch-errors.ts';

type Table = Readonly<Record<string, unknown>>;

/** Every table of codes that people get to see, by the name that the pages use. */
const tables: Readonly<Record<string, Table>> = {
  ...{ agentErrors, bmcErrors, busErrors, catalogErrors, dataErrors, databaseErrors, engineErrors, exitCodes },
  ...{ firmwareErrors, flasherErrors, hostErrors, imageErrors, inventoryErrors, ironicErrors, jobErrors, kubeErrors },
  ...{ launchErrors, networkErrors, orcErrors, restErrors, strategyErrors, updateErrors },
  hostErrorTypes: Object.fromEntries(hostErrorTypes.map((type) => [type, {}])),
};

interface Page {
  readonly file: string;
  readonly title: string;
  readonly tables: readonly string[];
  /** Rooms of src/ whose reasons of conditions and events the page explains. */
  readonly rooms: readonly string[];
  /** Reasons of those rooms that say that all is well. */
  readonly fine: readonly string[];
  readonly entries: readonly string[];
}

/** The text of docs/runbooks/README.md. Throws when a code has no entry, or an entry no code. */
export function runbookIndex(root: string): string {
  const pages = globSync('docs/runbooks/*.md', { cwd: root })
    .filter((file) => basename(file) !== 'README.md')
    .sort()
    .map((file) => readPage(root, file));
  const problems = [...unexplainedTables(pages), ...pages.flatMap((page) => problemsOf(root, page))];
  if (problems.length > 0) {
    throw new Error(`the runbooks and the code do not agree:\n  ${problems.join('\n  ')}`);
  }
  return indexOf(pages);
}

function readPage(root: string, file: string): Page {
  const text = readFileSync(join(root, file), 'utf8');
  const mark = /^<!-- runbook: (.*) -->$/m.exec(text)?.[1];
  if (mark === undefined) throw new Error(`${file} has no line <!-- runbook: table=... rooms=... fine=... -->`);
  const parts = new Map(mark.split(' ').map((word) => word.split('=', 2) as [string, string]));
  const list = (name: string): string[] => parts.get(name)?.split(',') ?? [];
  return {
    file,
    title: /^# (.*)$/m.exec(text)?.[1] ?? file,
    tables: list('table'),
    rooms: list('rooms'),
    fine: list('fine'),
    entries: [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code = '']) => code),
  };
}

function unexplainedTables(pages: readonly Page[]): string[] {
  const named = pages.flatMap((page) => page.tables);
  return [
    ...Object.keys(tables)
      .filter((name) => !named.includes(name))
      .map((name) => `no page has the codes of ${name}`),
    ...named.filter((name) => tables[name] === undefined).map((name) => `scripts/runbooks.ts knows no table ${name}`),
  ];
}

function problemsOf(root: string, page: Page): string[] {
  const source = page.rooms.map((room) => sourceOf(root, room)).join('\n');
  const codes = page.tables.flatMap((name) => Object.keys(tables[name] ?? {}));
  const reasons = [...source.matchAll(/\b(?:reason|code): '([A-Z]\w+)'/g)].map(([, reason = '']) => reason);
  const wanted = new Set([...codes, ...reasons.filter((reason) => !page.fine.includes(reason))]);
  const isKnown = (entry: string) => codes.includes(entry) || source.includes(`'${entry}'`);
  const missing = [...wanted].filter((code) => !page.entries.includes(code));
  return [
    ...missing.map(
      (code) => `${page.file} has no entry for ${code}: add a row (or name it in fine= if all is well then)`,
    ),
    ...page.entries
      .filter((entry) => !isKnown(entry))
      .map((entry) => `${page.file}: nothing tells ${entry}: take the row out`),
    ...page.fine
      .filter((word) => !source.includes(`'${word}'`))
      .map((word) => `${page.file}: nothing tells ${word}: take it out of fine=`),
    ...page.entries
      .filter((entry, at) => page.entries.indexOf(entry) !== at)
      .map((entry) => `${page.file} has two entries for ${entry}`),
  ];
}

function sourceOf(root: string, room: string): string {
  const files = globSync(`src/${room}/**/*.ts`, { cwd: root });
  const own = files.filter((file) => !/\.test\.ts$|\/(testing|contract)\//.test(file));
  return own.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
}

const again: Readonly<Record<RetryClass, string>> = {
  transient: 'tried again by itself',
  blocked: 'goes on once somebody acted',
  terminal: 'not before something is changed',
  bug: 'a defect: report it',
};

function againOf(page: Page, code: string): string {
  const entries = page.tables.map((name) => tables[name]?.[code]).filter((entry) => entry !== undefined);
  const classes = entries.flatMap((entry) =>
    typeof entry === 'object' && entry !== null && 'retry' in entry ? [again[entry.retry as RetryClass]] : [],
  );
  return [...new Set(classes)].join(', or ');
}

function indexOf(pages: readonly Page[]): string {
  const rows = pages
    .flatMap((page) => page.entries.map((code) => ({ code, page })))
    .sort((one, other) => one.code.localeCompare(other.code, 'en') || one.page.file.localeCompare(other.page.file))
    .map(({ code, page }) => `| \`${code}\` | [${page.title}](${basename(page.file)}) | ${againOf(page, code)} |`);
  return `# Runbooks

<!-- Generated by \`npm run generate\` from the tables of codes and the pages beside this one; do not edit. -->

Every code and reason that Rackwright shows, what it means, what was and was not done to the machine, what to look at and what to do. Search for the word that you were shown.

${pages.map((page) => `- [${page.title}](${basename(page.file)}): ${page.entries.length}`).join('\n')}

| code | runbook | and then |
|---|---|---|
${rows.join('\n')}
`;
}
