import type { PersonalityName } from '../personalities/personality.ts';
import { createRandom } from '../time/random.ts';

/** The administrator that each vendor ships. */
const usernames: Readonly<Record<PersonalityName, string>> = {
  'dell-idrac9': 'root',
  'hpe-ilo5': 'Administrator',
  'hpe-ilo6': 'Administrator',
  'lenovo-xcc': 'USERID',
  'supermicro-x12': 'ADMIN',
  openbmc: 'root',
};

// Without characters that look alike, or that a shell or a URL would read as something else.
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const passwordLength = 16;

/** Name and password of a BMC. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The credentials of one BMC: the vendor's user name, and a password of its own that depends on seed and name only. */
export function drawCredentials(order: { seed: number; name: string; personality: PersonalityName }): Credentials {
  const random = createRandom(order.seed, order.name, 'password');
  const drawn = Array.from({ length: passwordLength }, () => letters[Math.floor(random() * letters.length)]);
  return { username: usernames[order.personality], password: drawn.join('') };
}
