import type { KubeObject } from '../object.ts';
import type { Change, Stored } from '../store/store.ts';

/** A watch event that shows an object as it is. */
export interface ShownEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly stored: Stored;
  /** The object in the version that is watched. */
  readonly json: string;
}

interface Encoded {
  readonly type: ShownEvent['type'];
  readonly json: string;
  readonly bytes: Buffer;
}

/**
 * The bytes of watch events, made once for all who watch. All of them are told of a change in the same turn of the event
 * loop, so the bytes are kept for no longer than that: whoever reads slowly has them made anew from what the store holds.
 */
export class EventBytes {
  readonly #encoded = new Map<Stored, Encoded[]>();
  readonly #lastSeen = new WeakMap<Change, Stored>();

  /** The line of the stream that shows the event. */
  of({ type, stored, json }: ShownEvent): Buffer {
    const known = this.#encoded.get(stored);
    const found = known?.find((each) => each.type === type && each.json === json);
    if (found !== undefined) return found.bytes;
    const bytes = Buffer.from(eventLine(type, json));
    if (this.#encoded.size === 0) setImmediate(() => this.#encoded.clear());
    if (known === undefined) this.#encoded.set(stored, [{ type, json, bytes }]);
    else known.push({ type, json, bytes });
    return bytes;
  }

  /**
   * What went, or left a selection: shown as it was, at the version of the change. The revision stays that of the old
   * text: it says how the text has to be read. Made once for all who watch, some of whom may keep it waiting for long.
   */
  lastSeen(change: Change): Stored {
    const { previous, current } = change;
    if (previous === undefined) return current;
    const known = this.#lastSeen.get(change);
    if (known !== undefined) return known;
    const object = JSON.parse(previous.json) as KubeObject;
    object.metadata.resourceVersion = String(change.revision);
    const made = { ...previous, json: JSON.stringify(object) };
    this.#lastSeen.set(change, made);
    return made;
  }
}

/** The text of one event of a watch. */
export function eventLine(type: ShownEvent['type'] | 'BOOKMARK', object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}
