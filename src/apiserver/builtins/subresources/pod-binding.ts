import {
  type FieldError,
  formatFieldError,
  isJsonObject,
  type JsonObject,
  notSupportedError,
  requiredError,
} from '../../../schema/index.ts';
import { admitSubresource } from '../../admission/admit-subresource.ts';
import { kubeTime, type ServerCore } from '../../core.ts';
import type { RequestContext } from '../../request-context.ts';
import { badRequest, conflict, notFound, plainError } from '../../status.ts';
import type { SubresourceHandler } from '../../virtual-resource.ts';
import { type Pod, podBucket } from '../pod-object.ts';
import { successStatus } from './success-status.ts';

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };
const pods = { group: '', resource: 'pods' };

/** `pods/binding`: says on which node a pod runs. */
export function podBinding(core: ServerCore): SubresourceHandler {
  return {
    bucket: podBucket,
    subresource: 'binding',
    async handle(context, body) {
      const target = isJsonObject(body.target) ? body.target : {};
      const errors = targetFaults(target);
      const { name } = context.info;
      if (errors.length > 0) throw plainError(aggregate(errors.map(formatFieldError)));
      const metadata = isJsonObject(body.metadata) ? body.metadata : {};
      if (typeof metadata.name === 'string' && metadata.name !== '' && metadata.name !== name) {
        throw badRequest('name in URL does not match name in Binding object');
      }
      const admitted = await admitSubresource(core, context, body, bindingKind);
      const node = isJsonObject(admitted.target) ? admitted.target.name : target.name;
      await bind(core, context, String(node));
      return { code: 201, object: successStatus(201) };
    },
  };
}

function aggregate(texts: string[]): string {
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function targetFaults(target: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const kind = typeof target.kind === 'string' ? target.kind : '';
  if (kind !== '' && kind !== 'Node') errors.push(notSupportedError('target.kind', kind, ['Node', '<empty>']));
  if (typeof target.name !== 'string' || target.name === '') errors.push(requiredError('target.name'));
  return errors;
}

/** Only a binding may set the node, so this does not go through the checks of an update. */
async function bind(core: ServerCore, context: RequestContext, node: string): Promise<void> {
  const { name, namespace, query } = context.info;
  const key = { bucket: podBucket, namespace, name };
  context.asked.isDryRun = query.getAll('dryRun').includes('All');
  for (;;) {
    const head = core.store.head(key);
    if (head === undefined) throw notFound(pods, name);
    const pod = JSON.parse(head.json) as Pod;
    checkUnbound(pod, name);
    pod.spec = { ...pod.spec, nodeName: node };
    const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null };
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== scheduled.type);
    const conditions = [...others, { ...scheduled, lastTransitionTime: kubeTime(context.now) }];
    pod.status = { ...pod.status, conditions };
    if (context.asked.isDryRun) return;
    const written = core.store.write({ kind: 'update', key, object: pod, expect: head.revision });
    if ('conflict' in written) continue;
    await written;
    return;
  }
}

function checkUnbound(pod: Pod, name: string): void {
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(
      { group: '', resource: 'pods/binding' },
      name,
      `pod ${name} is being deleted, cannot be assigned to a host`,
    );
  }
  const node = pod.spec?.nodeName ?? '';
  if (node === '') return;
  throw conflict({ group: '', resource: 'pods/binding' }, name, `pod ${name} is already assigned to node "${node}"`);
}
