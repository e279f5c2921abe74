import { compileSelector, findServer, type PlanFacts, type PlanSubject, readSelector } from '../../firmware/index.ts';
import { CliError, usageError } from '../errors.ts';

/** Says which servers are meant; undefined for all of them. */
export type Choice = ((facts: PlanFacts) => (subject: PlanSubject) => boolean) | undefined;

/** Reads what the command line says about which servers are meant; names are looked for once the fleet is known. */
export function readChoice(words: readonly string[], selector: string | undefined): Choice {
  if (selector !== undefined) {
    if (words.length > 0) throw usageError('servers are chosen by -l or by what stands after "firmware", not both');
    return bySelector(selector);
  }
  const [first] = words;
  if (first === undefined) return undefined;
  const selectors = words.filter(isSelector);
  if (selectors.length === 0) return byNames(words.flatMap((word) => word.split(',')).filter((name) => name !== ''));
  if (words.length === 1) return bySelector(first);
  throw usageError(
    selectors.length === words.length
      ? `${selectors.join(' ')}: give one selector, its terms joined by commas`
      : 'servers are chosen by a selector or by their names, not both',
  );
}

/** No name has these letters in it. */
function isSelector(word: string): boolean {
  return /[=!()<>\s]/.test(word);
}

function bySelector(text: string): Choice {
  const read = readSelector(text);
  if ('problem' in read) {
    const { at, message } = read.problem;
    throw usageError(`the selector "${text}" cannot be read at letter ${at}: ${message}`);
  }
  const { matches } = compileSelector(read.selector);
  return () => (subject) => matches(subject.labels);
}

function byNames(names: readonly string[]): Choice {
  return (facts) => {
    const chosen = new Set(names.flatMap((name) => subjectsNamed(facts, name).map(keyOf)));
    return (subject) => chosen.has(keyOf(subject));
  };
}

function keyOf({ server, serverFirmware = '' }: PlanSubject): string {
  return `${server}\n${serverFirmware}`;
}

/** All servers that a word means; throws when it means none. */
export function subjectsNamed(facts: PlanFacts, name: string): readonly PlanSubject[] {
  const finding = findServer(facts, name);
  switch (finding.kind) {
    case 'found':
      return [finding.subject];
    case 'several':
      return finding.subjects;
    case 'bare-bmc':
      throw bareBmc(facts, finding.bmc);
    case 'unknown':
      throw unknownServer(name, finding.near);
  }
}

function bareBmc({ bmcs }: PlanFacts, name: string): CliError {
  const { status } = bmcs.find(({ metadata }) => metadata.name === name) ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const why = ready === undefined ? 'it was not read yet' : `${ready.reason}: ${ready.message}`;
  return new CliError('failed', `BMC ${name} has no Server: ${why}\n"rackwright describe bmc ${name}" tells more.`);
}

function unknownServer(name: string, near: readonly string[]): CliError {
  const hint = near.length === 0 ? '"rackwright get servers" lists them' : `did you mean ${near.join(', ')}?`;
  return new CliError('failed', `there is no Server, ServerFirmware, BMC or system UUID "${name}"; ${hint}`);
}
