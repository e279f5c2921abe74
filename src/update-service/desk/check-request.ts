import { selectorKey } from '../../parts/index.ts';
import { UpdateError } from '../errors.ts';

/** A firmware and the version that it shall have or has. */
export interface FirmwareVersion {
  /** Which component: `bios`, `bmc`, `nic`, ... */
  readonly name: string;
  /** Who makes it; empty for the server's own. */
  readonly manufacturer: string;
  readonly version: string;
  /** Product of the parts; empty or absent where it is not known, and in a request for any. */
  readonly model?: string;
  /** The vendor's id of the firmware that they take; the same. */
  readonly softwareId?: string;
  /** Where the part is; the same. */
  readonly slot?: string;
  /** In a request: slots that are left as they are though the rest of this means them. */
  readonly excludedSlots?: readonly string[];
}

/** No server has more, and an install takes no more. */
const mostFirmwares = 200;
const longestText = 253;
/** As many as a status lists. */
const mostSlots = 1000;

/** Something that can be read, without line breaks or other characters that only pretend to be text. */
const printable = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
/** Every version that a vendor ever wrote has a letter or a digit at its beginning. */
const versionText = /^[\p{L}\p{N}][^\p{C}\p{Zl}\p{Zp}]*$/u;

/** The firmwares of a request in their one spelling. Throws `invalidRequest` with all that is wrong. */
export function checkFirmwares(given: readonly FirmwareVersion[]): readonly FirmwareVersion[] {
  if (given.length === 0) throw invalid(['firmwares is empty: say what is to be installed']);
  if (given.length > mostFirmwares) {
    throw invalid([`firmwares has ${given.length} entries, and a server takes at most ${mostFirmwares}`]);
  }
  const firmwares = given.map(({ name, manufacturer, version, ...narrowed }) => ({
    name: name.trim(),
    manufacturer: manufacturer.trim(),
    version: version.trim(),
    ...readNarrowing(narrowed),
  }));
  const problems = firmwares.flatMap((one, at) => problemsOf(one).map((text) => `firmwares[${at}].${text}`));
  const keys = firmwares.map(selectorKey);
  const twice = firmwares.filter((_, at) => keys.indexOf(keys[at] ?? '') !== at);
  problems.push(
    ...twice.map(({ name, manufacturer }) => `${shown(name)} of ${shown(manufacturer)} is there more than once`),
  );
  if (problems.length > 0) throw invalid(problems);
  return firmwares;
}

function readNarrowing({
  model = '',
  softwareId = '',
  slot = '',
  excludedSlots = [],
}: Pick<FirmwareVersion, 'model' | 'softwareId' | 'slot' | 'excludedSlots'>) {
  return {
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    ...(softwareId.trim() === '' ? {} : { softwareId: softwareId.trim() }),
    ...(slot.trim() === '' ? {} : { slot: slot.trim() }),
    ...(excludedSlots.length === 0 ? {} : { excludedSlots: excludedSlots.map((each) => each.trim()) }),
  };
}

function problemsOf({ excludedSlots = [], ...firmware }: FirmwareVersion): string[] {
  const { name, version } = firmware;
  const problems: string[] = [];
  if (name === '') problems.push('name is empty');
  if (version === '') problems.push('version is empty');
  else if (!versionText.test(version)) problems.push(`version ${shown(version)} is no version`);
  if (excludedSlots.length > mostSlots) problems.push(`excluded_slots has more than ${mostSlots} entries`);
  const texts = excludedSlots.slice(0, mostSlots).map((slot): [string, string] => ['excluded_slots', slot]);
  for (const [field, text] of [...Object.entries(firmware), ...texts]) {
    if (text.length > longestText) problems.push(`${field} is longer than ${longestText} characters`);
    else if (!printable.test(text)) problems.push(`${field} has characters that cannot be shown`);
  }
  return problems;
}

/** A name of a request. Throws `invalidRequest`. */
export function checkName(name: string | undefined, what: string): string {
  const text = name?.trim() ?? '';
  if (text === '') throw invalid([`${what} is missing`]);
  if (text.length > longestText || !printable.test(text)) throw invalid([`${what} is no name`]);
  return text;
}

/** Refuses a request. */
export function invalid(problems: readonly string[]): UpdateError {
  const shownProblems = problems.slice(0, 20);
  if (problems.length > 20) shownProblems.push(`and ${problems.length - 20} more`);
  return new UpdateError('invalidRequest', {}, { problems: shownProblems });
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
