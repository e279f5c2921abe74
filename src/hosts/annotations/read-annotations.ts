import type { BareMetalHost, BareMetalHostSpec } from '../../api/index.ts';
import { annotations } from '../resources.ts';

/** How a host is asked to be switched off and on again. */
export interface RebootWish {
  /** True when anybody asks for it. */
  readonly isAsked: boolean;
  readonly mode: 'hard' | 'soft';
  /** True when it is to end other work too. */
  readonly isForced: boolean;
  /** True when the one without a suffix is among them: it is ours to remove. */
  readonly isOneShot: boolean;
  /** True when somebody holds the host off with an annotation of his own. */
  readonly isHeld: boolean;
  /** Annotations whose value cannot be read: they count as soft. */
  readonly unreadable: readonly string[];
}

const suffixed = `${annotations.reboot}/`;

/** What the reboot annotations of a host ask for; outside of use, only those that force it count. */
export function rebootWishOf(host: BareMetalHost, { isForcedOnly }: { readonly isForcedOnly: boolean }): RebootWish {
  const all = Object.entries(annotationsOf(host)).filter(
    ([name]) => name === annotations.reboot || name.startsWith(suffixed),
  );
  const read = all.map(([name, value]) => ({ name, ...readReboot(value) }));
  const asked = read.filter(({ isForced }) => !isForcedOnly || isForced);
  return {
    isAsked: asked.length > 0,
    mode: asked.some(({ mode }) => mode === 'hard') ? 'hard' : 'soft',
    isForced: asked.some(({ isForced }) => isForced),
    isOneShot: asked.some(({ name }) => name === annotations.reboot),
    isHeld: asked.some(({ name }) => name !== annotations.reboot),
    unreadable: read.filter(({ isReadable }) => !isReadable).map(({ name }) => name),
  };
}

/** What the value of a reboot annotation says; nothing, or what cannot be read, is a soft one. */
export function readReboot(value: string): {
  readonly mode: 'hard' | 'soft';
  readonly isForced: boolean;
  readonly isReadable: boolean;
} {
  if (value === '') return { mode: 'soft', isForced: false, isReadable: true };
  const fields = readFields(value);
  if (fields === undefined) return { mode: 'soft', isForced: false, isReadable: false };
  const isKnown = [undefined, '', 'hard', 'soft'].includes(fields.mode as string | undefined);
  const mode = fields.mode === 'hard' ? 'hard' : 'soft';
  return { mode, isForced: fields.force === true, isReadable: isKnown };
}

/** How a host is to be detached. */
export interface DetachWish {
  readonly isForced: boolean;
  /** What a deletion does meanwhile. */
  readonly deleteAction: 'delete' | 'delay';
}

/** What the detached annotation asks for; any value does, and one that is no JSON asks for nothing special. */
export function detachWishOf(host: BareMetalHost): DetachWish | undefined {
  const value = annotationsOf(host)[annotations.detached];
  if (value === undefined) return undefined;
  const fields = readFields(value) ?? {};
  return { isForced: fields.force === true, deleteAction: fields.deleteAction === 'delay' ? 'delay' : 'delete' };
}

/** True while nothing may be done about a host. */
export function isPaused(host: BareMetalHost): boolean {
  return annotationsOf(host)[annotations.paused] !== undefined;
}

/** True when the hardware of a host is not to be inspected. */
export function isInspectionDisabled(host: BareMetalHost): boolean {
  const mode: BareMetalHostSpec['inspectionMode'] = host.spec?.inspectionMode;
  return mode === 'disabled' || annotationsOf(host)[annotations.inspect] === 'disabled';
}

/** True when an available host is to be inspected anew. */
export function isInspectionAsked(host: BareMetalHost): boolean {
  const value = annotationsOf(host)[annotations.inspect];
  return value !== undefined && value !== 'disabled';
}

/** The annotations of a host. */
export function annotationsOf(host: BareMetalHost): Readonly<Record<string, string>> {
  return host.metadata.annotations ?? {};
}

function readFields(value: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(value);
    const isFields = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isFields ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
