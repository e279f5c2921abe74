import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { badRequest, tooLarge } from '../status.ts';
import { copyJson, setOwn } from './clone.ts';
import { equalJson } from './equal-json.ts';
import { cannotApply } from './errors.ts';

const maxOperations = 10_000;
/** What all copies of one patch may add up to; without it forty small copies double a document forty times. */
const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * JSON Patch (RFC 6902) with the liberties the real server takes: negative indices count from the end, replacing a
 * missing key adds it. Shares nothing with its inputs. Throws 400 for what is no patch, 422 for one that fails.
 */
export function applyJsonPatch(doc: Json, patch: Json): Json {
  const operations = checkOperations(patch);
  let result = copyJson(doc);
  const copies = new CopyAllowance();
  for (const operation of operations) result = applyOperation(result, operation, copies);
  return result;
}

class CopyAllowance {
  #left = maxCopiedBytes;

  copy(value: Json): Json {
    this.#left -= Buffer.byteLength(JSON.stringify(value));
    if (this.#left < 0) throw cannotApply();
    return copyJson(value);
  }
}

function checkOperations(patch: Json): JsonObject[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, 'value of type []handlers.jsonPatchOp');
  for (const operation of patch) checkOperation(operation);
  if (patch.length > maxOperations) {
    const limit = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`;
    throw tooLarge(`Request entity too large: ${limit}`);
  }
  return patch.map((operation) => (isJsonObject(operation) ? operation : {}));
}

function checkOperation(operation: Json): void {
  if (operation === null) return;
  if (!isJsonObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp');
  for (const name of ['op', 'path', 'from']) {
    const value = operation[name];
    if (value !== undefined && value !== null && typeof value !== 'string') {
      throw undecodable(value, `struct field jsonPatchOp.${name} of type string`);
    }
  }
}

function undecodable(value: Json, target: string): Error {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeOf(value)} into Go ${target}`);
}

/** What JSON calls the value. */
export function jsonTypeOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value === null ? 'null' : typeof value;
}

function applyOperation(doc: Json, operation: JsonObject, copies: CopyAllowance): Json {
  const { op, path, from, value } = operation;
  switch (op) {
    case 'add':
      placeOf(doc, path).add(copyJson(value ?? null));
      return doc;
    case 'remove':
      placeOf(doc, path).remove();
      return doc;
    case 'replace':
      if (path === '') return typeof value === 'object' && value !== null ? copyJson(value) : doc;
      placeOf(doc, path).replace(copyJson(value ?? null));
      return doc;
    case 'move': {
      const source = placeOf(doc, from);
      const moved = source.get();
      source.remove();
      placeOf(doc, path).add(moved ?? null);
      return doc;
    }
    case 'copy': {
      const copied = copies.copy(placeOf(doc, from).get() ?? null);
      placeOf(doc, path).add(copied);
      return doc;
    }
    case 'test':
      if (!holds(doc, path, value)) throw cannotApply();
      return doc;
    default:
      throw cannotApply();
  }
}

function holds(doc: Json, path: Json | undefined, value: Json | undefined): boolean {
  const found = path === '' ? doc : placeOf(doc, path).get();
  // A missing key equals an explicit null, and nothing equals no value at all.
  if (value === undefined) return false;
  return equalJson(found ?? null, value);
}

/** One place in the document, whether there is something or not. */
interface Place {
  get(): Json | undefined;
  add(value: Json): void;
  replace(value: Json): void;
  remove(): void;
}

function placeOf(doc: Json, path: Json | undefined): Place {
  if (typeof path !== 'string') throw cannotApply();
  const [, ...tokens] = path.split('/');
  const last = tokens.pop();
  if (last === undefined) throw cannotApply();
  let container: Json | undefined = doc;
  for (const token of tokens) container = child(container, unescapeToken(token));
  const key = unescapeToken(last);
  if (Array.isArray(container)) return new ListPlace(container, key);
  if (isJsonObject(container)) return new MapPlace(container, key);
  throw cannotApply();
}

function child(container: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(container)) return new ListPlace(container, key).get();
  if (isJsonObject(container)) return new MapPlace(container, key).get();
  throw cannotApply();
}

function unescapeToken(token: string): string {
  return token.includes('~') ? token.replace(/~[01]/g, (found) => (found === '~1' ? '/' : '~')) : token;
}

class MapPlace implements Place {
  readonly #map: JsonObject;
  readonly #key: string;
  constructor(map: JsonObject, key: string) {
    this.#map = map;
    this.#key = key;
  }
  get(): Json | undefined {
    return Object.hasOwn(this.#map, this.#key) ? this.#map[this.#key] : undefined;
  }
  add(value: Json): void {
    setOwn(this.#map, this.#key, value);
  }
  replace(value: Json): void {
    this.add(value);
  }
  remove(): void {
    if (!Object.hasOwn(this.#map, this.#key)) throw cannotApply();
    delete this.#map[this.#key];
  }
}

class ListPlace implements Place {
  readonly #list: Json[];
  readonly #key: string;
  constructor(list: Json[], key: string) {
    this.#list = list;
    this.#key = key;
  }
  get(): Json | undefined {
    return this.#list[this.#index(this.#list.length)];
  }
  add(value: Json): void {
    if (this.#key === '-') this.#list.push(value);
    else this.#list.splice(this.#index(this.#list.length + 1), 0, value);
  }
  replace(value: Json): void {
    this.#list[this.#index(this.#list.length)] = value;
  }
  remove(): void {
    this.#list.splice(this.#index(this.#list.length), 1);
  }
  #index(length: number): number {
    if (!/^[+-]?\d+$/.test(this.#key)) throw cannotApply();
    const index = Number.parseInt(this.#key, 10);
    if (index >= length || index < -length) throw cannotApply();
    return index < 0 ? index + length : index;
  }
}
