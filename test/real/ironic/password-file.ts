import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** Who may log in, and where that is written. */
export interface PasswordFile {
  /** An interpreter that has bcrypt. */
  readonly python: string;
  readonly path: string;
  readonly username: string;
  readonly password: string;
}

/** Writes an htpasswd file. The hash is checked with every request, so the cheapest one is made. */
export function writePasswordFile({ python, path, username, password }: PasswordFile): void {
  const code = 'import bcrypt, sys; print(bcrypt.hashpw(sys.stdin.buffer.read(), bcrypt.gensalt(4)).decode())';
  const hash = execFileSync(python, ['-c', code], { input: password, encoding: 'utf8' });
  writeFileSync(path, `${username}:${hash}`, { mode: 0o600 });
}
