import { isJsonObject, type Json } from '../../schema/index.ts';
import type { ListType } from './merge-type.ts';
import { keyElement, valueElement } from './path-element.ts';

/** Thrown when an object does not fit its schema well enough to be merged. */
export class TypedError extends Error {
  override readonly name = 'TypedError';
}

/** The path element of an item of a granular list; throws when the item cannot be told from others. */
export function itemElement(list: ListType, item: Json): string {
  return list.keysAsListed.length === 0 ? setItemElement(item) : keyedItemElement(list, item);
}

/** Like itemElement, but an item that cannot be told from others gets an element that names nothing. */
export function itemElementOrNone(list: ListType, item: Json): string {
  try {
    return itemElement(list, item);
  } catch (error) {
    // An item half pruned away may have lost its keys; it is whole again once what others own is added back.
    if (error instanceof TypedError) return '?:';
    throw error;
  }
}

function setItemElement(item: Json): string {
  if (item === null) throw new TypedError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new TypedError('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw new TypedError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

function keyedItemElement(list: ListType, item: Json): string {
  if (item === null) throw new TypedError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new TypedError('associative list with keys may not have non-map elements');
  const keys: [string, Json][] = [];
  for (const name of list.keys) {
    const value = item[name] === undefined ? list.keyDefaults[name] : item[name];
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0) {
    const names = `[${list.keysAsListed.map((name) => JSON.stringify(name)).join(' ')}]`;
    throw new TypedError(
      `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}
