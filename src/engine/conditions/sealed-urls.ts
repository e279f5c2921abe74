import { shownUrl } from '../../telemetry/index.ts';
import type { JsonObject, JsonValue } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import { canonicalJson, parseObject } from '../json.ts';
import type { Database, Row, Transaction } from '../store/database.ts';

/** Encrypts texts so that they open only for the use they were sealed for. */
export interface UrlSealer {
  seal(use: string, text: string): string;
  /** Throws where none of its keys opens the text. */
  open(use: string, sealed: string): string;
  /** What texts begin with that its newest key sealed. */
  readonly newestMark: string;
}

/** What a sealed URL begins with; the rest is for the sealer. */
export const sealedMark = 'sealed-url:';
/** Not bound to a condition: a URL and its log-in are sealed together, and it goes on in the next condition and the history. */
const use = 'URL of work';

function mapTexts(value: JsonValue, map: (text: string) => string): JsonValue {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([name, one]) => [map(name), mapTexts(one ?? null, map)] as const);
  return Object.fromEntries(members);
}

function hasSecret(text: string): boolean {
  return URL.canParse(text) && !text.startsWith(sealedMark) && shownUrl(text) !== text;
}

/** Whether there can be a log-in (`@`) or a signature (`=`) in a text; most have neither. */
function mayHaveSecret(json: string): boolean {
  return json.includes('@') || json.includes('=');
}

/** Why parameters cannot be stored, if so: for want of keys, or since they look sealed already. */
export function whyNotSealable(sealer: UrlSealer | undefined, parameters: JsonObject): readonly string[] {
  const texts: string[] = [];
  mapTexts(parameters, (text) => {
    texts.push(text);
    return text;
  });
  if (texts.some((text) => text.startsWith(sealedMark))) return [`no text in them may begin with ${sealedMark}`];
  if (sealer !== undefined || !texts.some(hasSecret)) return [];
  return ['a URL in them has a log-in, and there are no keys to seal it with; name a key file with --credential-keys'];
}

/** The JSON text of an object with those URLs sealed that hold a log-in or a signature. */
export function sealedJson({ sealer }: Pick<EngineContext, 'sealer'>, json: string): string {
  if (sealer === undefined || !mayHaveSecret(json)) return json;
  const seal = (text: string) => (hasSecret(text) ? `${sealedMark}${sealer.seal(use, text)}` : text);
  return JSON.stringify(mapTexts(parseObject(json), seal));
}

/** The JSON text as it was before it was sealed; what cannot be opened stays sealed, and `failed` is called for it. */
export function openedJson(
  { sealer }: Pick<EngineContext, 'sealer'>,
  json: string,
  failed: (error: unknown) => void = () => undefined,
): string {
  if (sealer === undefined || !json.includes(`"${sealedMark}`)) return json;
  const open = (text: string): string => {
    if (!text.startsWith(sealedMark)) return text;
    try {
      return sealer.open(use, text.slice(sealedMark.length));
    } catch (error) {
      failed(error);
      return text;
    }
  };
  return JSON.stringify(mapTexts(parseObject(json), open));
}

/** What may hold sealed URLs in rows of `conditions`. */
const columns = ['parameters', 'progress'] as const;

type Opening = Pick<EngineContext, 'sealer'>;

function openRow(opening: Opening, row: Row): Row {
  const sealed = columns.filter((name) => typeof row[name] === 'string' && row[name].includes(`"${sealedMark}`));
  if (sealed.length === 0) return row;
  const opened = sealed.map((name) => {
    const json = openedJson(opening, String(row[name]));
    // Equal parameters are equal texts.
    return [name, name === 'parameters' ? canonicalJson(parseObject(json)) : json] as const;
  });
  return { ...row, ...Object.fromEntries(opened) };
}

function openRows(opening: Opening, tx: Transaction): Transaction {
  return {
    now: tx.now,
    ...(tx.isolation === undefined ? {} : { isolation: tx.isolation }),
    run: (sql, ...values) => tx.run(sql, ...values),
    all: async (sql, ...values) => (await tx.all(sql, ...values)).map((row) => openRow(opening, row)),
    first: async (sql, ...values) => {
      const row = await tx.first(sql, ...values);
      return row === undefined ? undefined : openRow(opening, row);
    },
  };
}

/** The same database, whose rows come with their URLs opened. Who writes them seals them with `sealedJson`. */
export function withOpenedUrls(database: Database, opening: Opening): Database {
  if (opening.sealer === undefined) return database;
  return {
    dialect: database.dialect,
    ...(database.label === undefined ? {} : { label: database.label }),
    get counts() {
      return database.counts;
    },
    read: (work) => database.read((tx) => work(openRows(opening, tx))),
    write: (work, options) => database.write((tx) => work(openRows(opening, tx)), options),
    close: () => database.close(),
  };
}

/** Rows of one transaction. */
const batch = 200;

interface SealedTable {
  readonly name: 'conditions' | 'history';
  readonly columns: readonly string[];
}

const tables: readonly SealedTable[] = [
  { name: 'conditions', columns },
  { name: 'history', columns: ['record'] },
];

/**
 * Seals what older versions stored in clear text and what an older key sealed, once for each newest key. What cannot be
 * opened stays as it is.
 */
export async function sealStoredUrls(context: EngineContext, database: Database): Promise<void> {
  const { sealer } = context;
  if (sealer === undefined) return;
  const newest = `${sealedMark}${sealer.newestMark}`;
  const fact = await database.read((tx) => tx.first(`SELECT text_value FROM engine_facts WHERE name = 'sealed-urls'`));
  if (fact?.text_value === newest) return;
  for (const table of tables) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after;
      after = await database.write((tx) => sealSome(context, tx, { table, from }), { isolation: 'row-locks' });
    }
  }
  await database.write((tx) =>
    tx.run(
      `INSERT INTO engine_facts (name, text_value) VALUES ('sealed-urls', ?)
       ON CONFLICT (name) DO UPDATE SET text_value = excluded.text_value`,
      newest,
    ),
  );
}

async function sealSome(
  context: EngineContext,
  tx: Transaction,
  { table, from }: { readonly table: SealedTable; readonly from: string },
): Promise<string | undefined> {
  const { name, columns } = table;
  const mayHave = columns.map((one) => `${one} LIKE '%@%' OR ${one} LIKE '%=%' OR ${one} LIKE '%${sealedMark}%'`);
  const rows = await tx.all(
    `SELECT id, ${columns.join(', ')} FROM ${name} WHERE id > ? AND (${mayHave.join(' OR ')}) ORDER BY id LIMIT ${batch}`,
    from,
  );
  for (const row of rows) {
    const before = columns.map((one) => String(row[one]));
    const failed = (error: unknown): void => {
      const text = 'a URL of work cannot be opened: name a file with the keys that sealed it (--credential-keys)';
      context.logger.error(text, { table: name, id: String(row.id), error });
    };
    const after = before.map((json) => sealedJson(context, openedJson(context, json, failed)));
    if (after.every((json, index) => json === before[index])) continue;
    await tx.run(
      `UPDATE ${name} SET ${columns.map((one) => `${one} = ?`).join(', ')}
        WHERE id = ? AND ${columns.map((one) => `${one} = ?`).join(' AND ')}`,
      ...[...after, String(row.id), ...before],
    );
  }
  const last = rows.at(-1);
  return last === undefined || rows.length < batch ? undefined : String(last.id);
}
