/** What the runner says of one test, as far as counting goes. */
export interface TestEvent {
  readonly name: string;
  readonly file?: string | undefined;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly details: { readonly type?: string | undefined; readonly error?: Error | undefined };
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Files that take longer tell so. */
const slowSeconds = 5;

/** A failure is told in so many characters when it happens, so that what comes after it is found; whole at the end. */
const mostAtOnce = 2000;

/** Counts tests, tells of each file once, and reports at the end. */
export class TestTally {
  readonly #options: TallyOptions;
  readonly #total: Counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #perFile = new Map<string, Counts>();
  readonly #ended = new Set<string>();
  readonly #failures: string[] = [];

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  /** A check outside the test runner; a text says what it found. */
  addCheck(name: string, fault: string | undefined): void {
    if (fault !== undefined) this.addFailure(name, fault);
    else {
      this.#total.passed++;
      this.#options.print(`ok      ${name}`);
    }
  }

  /** Something outside the test files that failed. */
  addFailure(name: string, why: string): void {
    this.#total.failed++;
    this.#tellFailure(name, why);
  }

  pass(event: TestEvent): void {
    if (!isLeaf(event)) return;
    const isUnfinished = (event.skip ?? false) !== false || (event.todo ?? false) !== false;
    this.#count(event.file, isUnfinished ? 'skipped' : 'passed');
    if (!isUnfinished) return;
    const where = this.#where(event);
    this.#options.print(`skipped ${where}${typeof event.skip === 'string' ? ` (${event.skip})` : ''}`);
    if (!this.#options.isSkipFailure) return;
    this.#count(event.file, 'failed');
    this.#failures.push(`${where}\nskipped, which CI does not allow`);
  }

  fail(event: TestEvent): void {
    if (!isLeaf(event) && !isOwnFailure(event)) return;
    this.#count(event.file, 'failed');
    this.#tellFailure(this.#where(event), describe(event.details.error));
  }

  /**
   * Tells how a file went, the first time it is called for it. A file without tests fails: it checks nothing. `own` is
   * what the file's process counted: tests that an imported suite registers carry that suite's file name.
   */
  endFile(file: string, own?: { readonly passed: number; readonly tests: number; readonly seconds: number }): void {
    if (this.#ended.has(file)) return;
    this.#ended.add(file);
    const name = this.#options.shortName(file);
    const counts = this.#perFile.get(file) ?? importedCounts(own);
    if (counts === undefined) {
      this.addFailure(name, 'the file ran no test');
      return;
    }
    const failed = counts.failed === 0 ? '' : `, ${counts.failed} failed`;
    const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
    const took = own === undefined || own.seconds < slowSeconds ? '' : ` in ${Math.round(own.seconds)} s`;
    this.#options.print(
      `${counts.failed === 0 ? 'ok    ' : 'FAILED'}  ${name} (${counts.passed} passed${failed}${skipped}${took})`,
    );
  }

  /** Prints what failed and the last line; gives the exit code. */
  report(): number {
    const { passed, failed } = this.#total;
    if (this.#failures.length > 0) this.#options.print(`\nWhat failed:\n\n${this.#failures.join('\n\n')}\n`);
    this.#options.print(`${passed} passed, ${failed} failed`);
    return failed === 0 && passed > 0 ? 0 : 1;
  }

  #count(file: string | undefined, as: keyof Counts): void {
    this.#total[as]++;
    if (file === undefined) return;
    const own = this.#perFile.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
    own[as]++;
    this.#perFile.set(file, own);
  }

  #tellFailure(name: string, why: string): void {
    this.#failures.push(`${name}\n${why}`);
    this.#options.print(`FAILED  ${name}\n${shorten(why)}`);
  }

  #where(event: TestEvent): string {
    return event.file === undefined ? event.name : `${this.#options.shortName(event.file)}: ${event.name}`;
  }
}

/** How a tally speaks and judges. */
export interface TallyOptions {
  print(line: string): void;
  /** Nothing may be left out. */
  readonly isSkipFailure: boolean;
  shortName(file: string): string;
}

/** Suites, and files as a whole, are counted by what is in them. */
function isLeaf(event: TestEvent): boolean {
  return event.details.type !== 'suite' && !isFile(event);
}

function isFile({ name, file }: TestEvent): boolean {
  return file !== undefined && (name === file || file.endsWith(`/${name}`));
}

/** A suite or file that fails by itself (it does not load, its process ends early, a hook throws) counts too. */
function isOwnFailure(event: TestEvent): boolean {
  const type = (event.details.error as { failureType?: string } | undefined)?.failureType;
  return type !== 'subtestsFailed';
}

function shorten(why: string): string {
  return why.length <= mostAtOnce ? why : `${why.slice(0, mostAtOnce)} ... (the rest is told at the end)`;
}

function describe(error: Error | undefined): string {
  const cause = error?.cause instanceof Error ? error.cause : error;
  return cause?.stack ?? String(error?.cause ?? cause);
}

function importedCounts(own: { readonly passed: number; readonly tests: number } | undefined): Counts | undefined {
  if (own === undefined || own.tests === 0) return undefined;
  return { passed: own.passed, failed: own.tests - own.passed, skipped: 0 };
}
