import { cpus } from 'node:os';
import { errors, type Page } from 'playwright-core';
import { launchBrowser, logIn, openPage } from '../../test/real/console/browser.ts';
import { hostName, type ManyHosts, startManyHosts } from '../../test/real/console/many-hosts.ts';
import { median, printTable, rounded } from '../figures.ts';
import { type ConsoleMeasure, judgeBars, printBars } from './bars.ts';

/** How to measure. */
export interface ConsoleBenchOptions {
  readonly hosts: number;
  /** How often the page is loaded; the middle one counts. */
  readonly rounds: number;
  /** Changes that are made, unless seconds are given. */
  readonly changes: number;
  /** How long hosts change. */
  readonly seconds?: number;
}

/** Measures the console in a browser: how soon the fleet is seen, and whether its memory grows while hosts change. */
export async function benchConsole(options: ConsoleBenchOptions): Promise<object> {
  const closing: (() => Promise<void>)[] = [];
  const later = { after: (close: () => Promise<void>) => closing.unshift(close) } as Parameters<typeof openPage>[0];
  try {
    const plane = await startManyHosts(options.hosts);
    closing.unshift(() => plane.close());
    const browser = await launchBrowser();
    closing.unshift(() => browser.close());
    const page = await openPage(later, browser);
    await page.addInitScript(watchForHosts);
    await logIn(page, plane);
    const loads = await loadOften(page, options);
    const heap = await changeAndWeigh(page, plane, options);
    const measure: ConsoleMeasure = { hosts: options.hosts, ...loads, ...heap };
    return report(measure, options);
  } finally {
    for (const close of closing) await close();
  }
}

function report(measure: ConsoleMeasure, options: ConsoleBenchOptions): object {
  const rows: [string, number][] = [
    ['first paint, ms', measure.firstPaintMs],
    ['first host on the screen, ms', measure.firstHostMs],
    [`all ${measure.hosts} hosts read, ms`, measure.allHostsMs],
    ['changes made', measure.changes],
    ['changes that the page had shown when it was weighed', measure.shownChanges],
    ['heap before, MiB', measure.heapBeforeMiB],
    ['heap after, MiB', measure.heapAfterMiB],
  ];
  console.log(printTable([['', 'measured'], ...rows]));
  const bars = judgeBars(measure);
  console.log(`\n${printBars(bars)}`);
  if (bars.some(({ holds }) => !holds)) process.exitCode = 1;
  return { bench: 'console', cpus: cpus().length, options, measure, bars };
}

/** Runs in the page: notes when the first host is in it, and when all are counted. */
const watchForHosts = `
  window.seen = {};
  new MutationObserver(() => {
    const note = (name, isSo) => {
      if (isSo && window.seen[name] === undefined) requestAnimationFrame(() => { window.seen[name] ??= performance.now(); });
    };
    note('firstHost', document.querySelector('.slot, .table-body .table-row') !== null);
    note('allHosts', document.querySelector('.badge.tone-good')?.textContent === 'live');
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

interface Loads {
  readonly firstPaintMs: number;
  readonly firstHostMs: number;
  readonly allHostsMs: number;
}

async function loadOften(page: Page, { rounds }: ConsoleBenchOptions): Promise<Loads> {
  const loads: Loads[] = [];
  for (let round = 0; round < rounds; round++) {
    await page.reload();
    // A function, not a text: the policy of the page lets nothing be made of text.
    await page.waitForFunction(() => {
      const { seen } = globalThis as unknown as { seen: Record<string, number | undefined> };
      return seen.firstHost !== undefined && seen.allHosts !== undefined;
    });
    loads.push(
      (await page.evaluate(`({
        firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
        firstHostMs: window.seen.firstHost,
        allHostsMs: window.seen.allHosts,
      })`)) as Loads,
    );
  }
  const middle = (figure: keyof Loads) => rounded(median(loads.map((load) => load[figure])));
  return { firstPaintMs: middle('firstPaintMs'), firstHostMs: middle('firstHostMs'), allHostsMs: middle('allHostsMs') };
}

const burst = 500;

async function changeAndWeigh(
  page: Page,
  plane: ManyHosts,
  { hosts, changes, seconds }: ConsoleBenchOptions,
): Promise<Pick<ConsoleMeasure, 'changes' | 'shownChanges' | 'heapBeforeMiB' | 'heapAfterMiB'>> {
  let made = 0;
  const changeSome = async (): Promise<void> => {
    const numbers = Array.from({ length: Math.min(burst, hosts) }, (_, index) => (made + index) % hosts);
    await plane.change(numbers, Math.floor(made / hosts) % 2 === 0);
    made += numbers.length;
  };
  // Every host has changed once before it counts: what the page keeps of each is there then.
  while (made < Math.min(hosts, changes)) await changeSome();
  await hasShownAll(page, plane);
  const heapBeforeMiB = await heapOf(page);
  const [begun, already] = [performance.now(), made];
  const isGoing = (): boolean =>
    seconds === undefined ? made - already < changes : performance.now() - begun < seconds * 1000;
  while (isGoing()) await changeSome();
  const shownChanges = (await hasShownAll(page, plane)) ? made - already : 0;
  return { changes: made - already, shownChanges, heapBeforeMiB, heapAfterMiB: await heapOf(page) };
}

/**
 * Changes come to the page in the order in which they are made: once a host on the screen is shown switched on and off
 * after all of them, the page has had them. A page that follows nothing any more would weigh little.
 */
async function hasShownAll(page: Page, plane: ManyHosts): Promise<boolean> {
  for (const isOn of [true, false]) {
    await plane.change([0], isOn);
    const led = page.locator(isOn ? '.led.is-on' : '.led:not(.is-on)');
    const shown = page.locator('.slot', { hasText: hostName(0), has: led }).waitFor();
    if (!(await shown.then(() => true).catch(isTooLate))) return false;
  }
  return true;
}

function isTooLate(error: unknown): false {
  if (error instanceof errors.TimeoutError) return false;
  throw error;
}

/** What the page holds once everything it does not need is gone. */
async function heapOf(page: Page): Promise<number> {
  const used = await page.evaluate(`(async () => {
    for (let i = 0; i < 5; i++) { await new Promise((resolve) => setTimeout(resolve, 300)); gc(); }
    return performance.memory.usedJSHeapSize;
  })()`);
  return rounded((used as number) / 2 ** 20);
}
