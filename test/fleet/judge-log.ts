import { readDetail } from '../../simulator/machine/log-detail.ts';
import type { LogLine } from './simulator.ts';

/** What the log of one server shows of its updates. */
export interface LogVerdict {
  /** Promises that were broken, in words. */
  readonly violations: readonly string[];
  /** Images that were written to a slot to the end. */
  readonly written: number;
  /** Images that had to be written again, since the BMC had failed with them. */
  readonly again: number;
}

/**
 * Judges the log of one server:
 *
 * - An image is written to a slot only if it is not there already: neither out of the box nor by an update before, unless
 *   something else was written meanwhile.
 * - An update is taken by the BMC only when all before it are over.
 * - What the BMC has taken is done in the end, or fails on a BMC with faults.
 */
export function judgeLog(log: readonly LogLine[], { isFaulty }: { readonly isFaulty: boolean }): LogVerdict {
  const judge = new Judge(isFaulty);
  for (const line of log) judge.read(line);
  return judge.verdict();
}

/** True while an image is being written. */
export function isFlashing(log: readonly LogLine[]): boolean {
  const count = (event: string): number => log.filter((line) => line.event === event).length;
  return count('update.flash-begin') > count('update.flash-end');
}

class Judge {
  readonly #isFaulty: boolean;
  readonly #violations: string[] = [];
  /** Updates that the BMC has taken and that are not over. */
  readonly #open = new Set<string>();
  /** The image that was last written to a slot, and whether that went well. */
  readonly #last = new Map<string, { readonly version: string; readonly isGood: boolean }>();
  #written = 0;
  #again = 0;

  constructor(isFaulty: boolean) {
    this.#isFaulty = isFaulty;
  }

  read({ event, detail }: LogLine): void {
    if (!event.startsWith('update.')) return;
    const { update = '', slot = '', version = '', from = '', result = '', reason = '' } = readDetail(detail);
    if (event === 'update.accepted') this.#accept(update);
    if (event === 'update.flash-begin') this.#begin({ slot, version, from, update });
    if (event === 'update.flash-end') this.#end({ slot, version, isGood: result === 'ok' });
    if (event === 'update.done' || event === 'update.failed') this.#open.delete(update);
    if (event === 'update.failed' && !this.#isFaulty) {
      this.#violations.push(`update ${update} failed on a BMC without faults: ${reason}`);
    }
  }

  #accept(update: string): void {
    if (this.#open.size > 0) {
      this.#violations.push(`update ${update} was taken while ${[...this.#open].join(', ')} was not over`);
    }
    this.#open.add(update);
  }

  #begin({ slot, version, from, update }: Readonly<Record<'slot' | 'version' | 'from' | 'update', string>>): void {
    const last = this.#last.get(slot);
    if (last?.version === version && !last.isGood) this.#again += 1;
    const isThere = last === undefined ? from === version : last.isGood && last.version === version;
    if (isThere) this.#violations.push(`update ${update} wrote ${version} to ${slot}, where it was already`);
  }

  #end({ slot, version, isGood }: { readonly slot: string; readonly version: string; readonly isGood: boolean }): void {
    if (isGood) this.#written += 1;
    this.#last.set(slot, { version, isGood });
  }

  verdict(): LogVerdict {
    const unended = [...this.#open].map((update) => `update ${update} never came to an end`);
    return { violations: [...this.#violations, ...unended], written: this.#written, again: this.#again };
  }
}
