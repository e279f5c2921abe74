/** Where the words come from that an argument or a value can be: a list, files, or something that is looked up. */
export type ArgumentSource =
  | readonly string[]
  | 'files'
  | 'objects'
  | 'machines'
  | 'inventory'
  | 'conditions'
  | 'simulated'
  | 'ports'
  | 'namespaces';

/** Shells that completion is there for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** What the arguments of commands are; the last source is that of all further ones. */
export const argumentSources: Readonly<Record<string, readonly ArgumentSource[]>> = {
  get: ['objects'],
  describe: ['objects'],
  wait: ['objects'],
  edit: ['objects'],
  delete: ['objects'],
  annotate: ['objects'],
  label: ['objects'],
  why: ['machines'],
  history: ['machines', []],
  'plan firmware': ['machines'],
  'plan network': ['ports'],
  conditions: ['inventory', []],
  'install-firmware': ['inventory', []],
  cancel: ['conditions', []],
  backup: ['files'],
  restore: ['files'],
  'support-bundle': ['files'],
  completion: [shells, []],
  'simulate faults': ['files'],
  'simulate log': ['simulated', []],
  'simulate login': ['simulated', []],
  'simulate firmware': ['simulated', []],
  'simulate reset': ['simulated', ['On', 'ForceOff', 'GracefulShutdown', 'GracefulRestart', 'ForceRestart'], []],
};

const yesOrNo = ['yes', 'no'];

/** What the values of options are; nothing is known of the others. */
export const optionSources: Readonly<Record<string, ArgumentSource>> = {
  '--output': ['json', 'yaml', 'wide', 'name', 'jsonpath='],
  '--namespace': 'namespaces',
  '--filename': 'files',
  '--kubeconfig': 'files',
  '--data-dir': 'files',
  '--token-file': 'files',
  '--ca-file': 'files',
  '--log-file': 'files',
  '--database-url-file': 'files',
  '--log-level': ['debug', 'info', 'warn', 'error'],
  '--cascade': ['background', 'foreground', 'orphan'],
  '--validate': ['strict', 'warn', 'ignore'],
  '--for': ['condition=', 'jsonpath=', 'create', 'delete'],
  '--provisioner': ['ironic', 'redfish', 'agent'],
  '--bmc-insecure': yesOrNo,
  '--bmc-http': yesOrNo,
  '--plain-http': yesOrNo,
  '--set': ['latest'],
};
