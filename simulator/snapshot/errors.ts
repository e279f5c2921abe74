const snapshotErrors = {
  Unreadable: '{file} cannot be read: {reason}',
  Damaged: '{file} is damaged ({reason}): move it away to start with servers as they come out of the box',
  NewerFormat:
    '{file} was written by a newer version (format {format}; this version knows {known}): start that version, or move the file away',
  BadPorts: 'the snapshot has switch ports that this fleet cannot have: {problems}',
  OtherFleet: 'the snapshot is of another fleet: {difference}',
} as const;

/** Why a snapshot cannot be used. */
export type SnapshotErrorCode = keyof typeof snapshotErrors;

/** A snapshot that cannot be used. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
  readonly code: SnapshotErrorCode;

  constructor(code: SnapshotErrorCode, facts: Readonly<Record<string, string | number>>, cause?: unknown) {
    super(
      snapshotErrors[code].replaceAll(/\{(\w+)\}/g, (_, fact: string) => String(facts[fact] ?? '')),
      cause === undefined ? {} : { cause },
    );
    this.code = code;
  }
}
