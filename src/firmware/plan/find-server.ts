import { type PlanSubject, subjectsOf } from './plan-firmware.ts';
import { nameOf, type PlanFacts } from './settle-fleet.ts';

/** What a word was found to mean. */
export type ServerFinding =
  | { readonly kind: 'found'; readonly subject: PlanSubject }
  /** It means several: a BMC with several systems, a UUID that several Servers claim. */
  | { readonly kind: 'several'; readonly what: string; readonly subjects: readonly PlanSubject[] }
  /** A BMC that no Server hangs on. */
  | { readonly kind: 'bare-bmc'; readonly bmc: string }
  | { readonly kind: 'unknown'; readonly near: readonly string[] };

/** Finds the server that a word means: the name of a Server, ServerFirmware or BMC, or a system UUID, in this order. */
export function findServer(facts: PlanFacts, word: string): ServerFinding {
  const subjects = subjectsOf(facts);
  const byServer = subjects.filter(({ server }) => server === word);
  // Of several objects about one server, one with the same name is meant.
  const own = byServer.find(({ serverFirmware }) => serverFirmware === word);
  if (own !== undefined) return { kind: 'found', subject: own };
  if (byServer.length > 0) return among(byServer, `Server ${word}`);
  const byFirmware = subjects.find(({ serverFirmware }) => serverFirmware === word);
  if (byFirmware !== undefined) return { kind: 'found', subject: byFirmware };
  const isOf = (names: ReadonlySet<string>) => subjects.filter(({ server }) => names.has(server));
  const uuid = word.toLowerCase();
  const ofUuid = facts.servers.filter(({ spec }) => spec.systemUUID.toLowerCase() === uuid).map(nameOf);
  if (ofUuid.length > 0) return among(isOf(new Set(ofUuid)), `The system UUID ${word}`);
  const ofBmc = facts.servers.filter(({ spec }) => spec.bmcRef?.name === word).map(nameOf);
  if (ofBmc.length > 0) return among(isOf(new Set(ofBmc)), `BMC ${word}`);
  if (facts.bmcs.some((bmc) => nameOf(bmc) === word)) return { kind: 'bare-bmc', bmc: word };
  return { kind: 'unknown', near: nearNames(word, namesOf(facts)) };
}

function among(subjects: readonly PlanSubject[], what: string): ServerFinding {
  const [first, second] = subjects;
  if (first === undefined) return { kind: 'unknown', near: [] };
  return second === undefined ? { kind: 'found', subject: first } : { kind: 'several', what, subjects };
}

function namesOf({ servers, firmwares, bmcs }: PlanFacts): string[] {
  return [...new Set([...servers, ...firmwares, ...bmcs].map(nameOf))];
}

const mostNear = 5;

/** Names that somebody may have meant, the nearest first. */
export function nearNames(word: string, names: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const near = names.flatMap((name) => {
    const known = name.toLowerCase();
    const isWhole = wanted.length >= 3 && known.includes(wanted);
    const isPart = known.length >= 3 && wanted.includes(known);
    const distance = isWhole ? 0 : Math.min(distanceOf(wanted, known, limit), isPart ? limit : limit + 1);
    return distance > limit ? [] : [{ name, distance, length: Math.abs(known.length - wanted.length) }];
  });
  const order = (a: (typeof near)[number], b: (typeof near)[number]): number =>
    a.distance - b.distance || a.length - b.length || (a.name < b.name ? -1 : 1);
  return near
    .toSorted(order)
    .slice(0, mostNear)
    .map(({ name }) => name);
}

/** How many letters have to change; counting ends above the limit. */
function distanceOf(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      const [left = 0, up = 0, corner = 0] = [line[at - 1], above[at], above[at - 1]];
      line.push(Math.min(left + 1, up + 1, corner + (isSame ? 0 : 1)));
    }
    if (Math.min(...line) > limit) return limit + 1;
    above = line;
  }
  return above[other.length] ?? limit + 1;
}
