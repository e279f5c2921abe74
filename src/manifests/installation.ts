import { allKinds, crdOf, type KindDeclaration, kindRolesOf, personaRolesOf, serviceRoles } from '../api/index.ts';
import { createFirmwareAdmission } from '../firmware/index.ts';
import { createHostAdmission } from '../hosts/index.ts';
import { type AdmissionRule, buildConversionStanza, buildWebhookConfigurations } from '../kube/index.ts';
import { createNetworkAdmission } from '../network/index.ts';
import { home } from './component.ts';
import { partsOf } from './component-parts.ts';
import { components } from './components.ts';
import { holds } from './condition.ts';
import { webhookCertificate } from './deployment.ts';
import { partOf } from './labels.ts';
import { jobPolicyPart, policyPartsOf } from './network-policies.ts';
import { fill, type Part, type Template, value } from './template.ts';
import type { Values } from './values.ts';

/** An object of an installation. */
export interface InstalledObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly [field: string]: unknown;
}

/** The name of the webhook configuration. */
export const webhookName = 'rackwright';

/** How the API server reaches the webhooks of an installation. */
export function webhookTarget(port: number) {
  return { service: { namespace: home, name: 'rackwright-webhooks', port } };
}

/** The rules of admission, before anything is attached to them. */
export function admissionRules(): readonly AdmissionRule[] {
  return [...createFirmwareAdmission().rules, ...createNetworkAdmission().rules, ...createHostAdmission().rules];
}

/** Names of the definitions whose versions are converted. */
export function convertedDefinitions(): readonly string[] {
  return allKinds.filter(isConverted).map(({ plural, group }) => `${plural}.${group}`);
}

function isConverted({ versions }: KindDeclaration): boolean {
  return versions.length > 1;
}

/** Everything that an installation can consist of, in the order in which it is made. */
export function allParts(): readonly Part[] {
  return [
    {
      file: 'namespace',
      isPlainOnly: true,
      objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home, labels: partOf } }],
    },
    { file: 'crds', when: { is: 'crds.install' }, objects: allKinds.map(definitionOf) },
    { file: 'roles', objects: rolesOfPeople() as unknown as Template[] as Part['objects'] },
    ...components.flatMap(partsOf),
    ...components.flatMap(policyPartsOf),
    jobPolicyPart,
    certManagerPart,
    { file: 'admission', objects: admissionOf() },
  ];
}

/** The objects of an installation with these values, in the order in which they are made. */
export function objectsOf(values: Values): readonly InstalledObject[] {
  return allParts()
    .filter(({ when }) => when === undefined || holds(when, values))
    .flatMap(({ objects, isPerTenant }) => {
      const scopes = isPerTenant === true ? values.tenancy.tenants.map((tenant) => ({ ...values, tenant })) : [values];
      return scopes.flatMap((scope) => objects.map((each) => fill(each, scope) as InstalledObject));
    });
}

function rolesOfPeople() {
  return [...allKinds.flatMap((kind) => kindRolesOf(kind)), ...personaRolesOf(allKinds), ...serviceRoles()];
}

/** Filled in below: what a bundle would be is known only to who makes certificates. */
const noBundle = '';
const portPlace = value('webhooks.port');

/** Helm leaves these where they are: with a definition every object of its kind would go. */
const keptByHelm = { 'helm.sh/resource-policy': 'keep' };

function definitionOf(kind: KindDeclaration): Part['objects'][number] {
  const { spec, metadata, ...rest } = crdOf(kind);
  const name = `${kind.plural}.${kind.group}`;
  const { conversion: _, ...others } = spec;
  const stanza = buildConversionStanza(name, webhookTarget(0), noBundle) as unknown as ConversionStanza;
  const conversion = isConverted(kind) ? { conversion: withoutBundle(stanza.spec.conversion) } : {};
  const kept = { ...metadata, annotations: keptByHelm };
  return { ...rest, metadata: kept, spec: { ...others, ...conversion } } as unknown as Part['objects'][number];
}

interface ConversionStanza {
  readonly spec: { readonly conversion: Template };
}

function admissionOf(): Part['objects'] {
  const publication = { name: webhookName, rules: admissionRules(), target: webhookTarget(0), labels: partOf };
  return buildWebhookConfigurations(publication, noBundle).map(withoutBundle) as Part['objects'];
}

/** Drops empty bundles, and lets values say the port. */
function withoutBundle(template: unknown): Template {
  if (Array.isArray(template)) return template.map(withoutBundle);
  if (typeof template !== 'object' || template === null) return template as Template;
  const fields = Object.entries(template).filter(([key, each]) => key !== 'caBundle' || each !== noBundle);
  return Object.fromEntries(
    fields.map(([key, each]) => [key, key === 'port' && each === 0 ? portPlace : withoutBundle(each)]),
  );
}

const issuer = 'rackwright-webhooks';

/** cert-manager only makes the certificate: the webhooks tell the API server by themselves what to trust. */
const certManagerPart: Part = {
  file: 'cert-manager',
  when: { equals: ['webhooks.certificates', 'cert-manager'] },
  objects: [
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Issuer',
      metadata: { name: issuer, namespace: home, labels: partOf },
      spec: { selfSigned: {} },
    },
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: issuer, namespace: home, labels: partOf },
      spec: {
        secretName: webhookCertificate,
        dnsNames: [`rackwright-webhooks.${home}.svc`, `rackwright-webhooks.${home}.svc.cluster.local`],
        issuerRef: { kind: 'Issuer', name: issuer },
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
        usages: ['server auth', 'digital signature'],
      },
    },
  ],
};
