import type { BareMetalHost } from '../../api/index.ts';
import type { AdmissionRequest, Denial } from '../../kube/index.ts';
import { discoveryNote, readDiscoveryNote } from '../annotations/discovery-note.ts';

/** What a request does to the note that says which machine a host is. */
export type NoteChange =
  /** Nothing, or nothing that could make it another machine: it goes, or only its hardware does. */
  | 'harmless'
  /** A new host comes with it. */
  | 'brought'
  /** A host that is there gets one, or another one. */
  | 'changed';

/** Finds out what a request does to the note. Pure. */
export function noteChangeOf({ object, oldObject, operation }: AdmissionRequest): NoteChange {
  const now = object?.metadata?.annotations?.[discoveryNote];
  if (now === undefined) return 'harmless';
  if (operation === 'CREATE') return 'brought';
  if (now === oldObject?.metadata?.annotations?.[discoveryNote]) return 'harmless';
  const [after, before] = [object, oldObject].map((each) => readDiscoveryNote(each as unknown as BareMetalHost));
  if (after === undefined || 'problem' in after || before === undefined || 'problem' in before) return 'changed';
  const isShortened = after.value.provisionerId === before.value.provisionerId && after.value.hardware === undefined;
  return isShortened ? 'harmless' : 'changed';
}

/** Judges what a request does to the note: who could write it freely could have any machine of the provisioner. Pure. */
export function judgeNote(request: AdmissionRequest, { mayDiscover }: { readonly mayDiscover: boolean }): Denial[] {
  const change = noteChangeOf(request);
  const field = `metadata.annotations[${discoveryNote}]`;
  if (change === 'changed') {
    const message =
      'which machine a host is cannot be said or changed once the host is there; remove the annotation, or delete the host and let it be discovered again';
    return [{ field, message }];
  }
  if (change === 'harmless' || mayDiscover) return [];
  const who = request.userInfo.username ?? 'somebody';
  const message = `which machine a new host is says discovery, or who may update BareMetalHostDiscoveries in ${request.namespace}; ${who} may not`;
  return [{ field, message }];
}
