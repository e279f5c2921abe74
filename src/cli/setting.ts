/** One setting: how it is given, what it means, how it is read. Help texts and the reference come from this. */
export interface SettingDefinition<T> {
  readonly flag: string;
  /** What stands after the flag in help texts. */
  readonly value: string;
  readonly env: string;
  readonly about: string;
  /** Used when neither flag nor environment says anything. */
  readonly fallback?: string;
  /** Given several times, the values are joined by commas. */
  readonly isRepeatable?: boolean;
  /** Throws a usage error that names what was wrong. `given` says where the text came from. */
  parse(text: string, given: Given): T;
}

/** Where a setting came from, for messages and relative paths. */
export interface Given {
  /** `--port 80` or `RACKWRIGHT_PORT=80`. */
  readonly as: string;
  readonly cwd: string;
  /** Of something typed: the environment variable that says the same where nobody else reads it. */
  readonly variable?: string;
}

/** Keeps what is special about a definition in its type. */
export function define<const D extends SettingDefinition<unknown>>(definition: D): D {
  return definition;
}
