import { Command, InvalidArgumentError, Option } from 'commander';

/** What the short forms measure unless told otherwise: the same, with few servers. */
const quickInstall = { servers: 90, parallel: 45, flash: 20, sizes: '60,240', compared: 60 };
const quickFleet = { sizes: '400,1000' };

/** Every bench prints a table, and as its last line one JSON object with the figures. Only the one that is run is loaded. */
const program = new Command('bench').description('Measures parts of Rackwright.');

program
  .command('apiserver')
  .description('the embedded API server beside a real kube-apiserver with etcd, in alternating rounds')
  .option('--rounds <n>', 'how often each measurement is taken on each server', positive, 3)
  .option('--seconds <n>', 'how long each throughput measurement lasts', positive, 4)
  .option('--clients <n>', 'connections that send one request at a time', positive, 16)
  .option('--watchers <n>', 'watches that see each change', positive, 20)
  .option('--objects <n>', 'objects in the store when its memory is taken', positive, 10_000)
  .option('--sizes <list>', 'objects in the store when the cost of a write is taken', '1000,10000,50000')
  .addOption(new Option('--only <server>', 'one of the servers').choices(['embedded', 'real']))
  .addOption(new Option('--part <part>', 'one part of it').choices(['speed', 'memory', 'growth']))
  .action(async (options) => {
    const { benchApiserver } = await import('./apiserver.ts');
    const figures = await benchApiserver(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('bmc')
  .description('full inventories of simulated BMCs, for growing fleets and beside Python sushy in alternating rounds')
  .option('--sizes <list>', 'BMCs in each fleet, separated by commas', '100,1000,5000')
  .option('--at-once <n>', 'BMCs read at once', positive, 64)
  .option('--compared <n>', 'BMCs that Python sushy reads too; 0 for none', notNegative, 24)
  .option('--rounds <n>', 'rounds of the comparison', positive, 3)
  .action(async (options) => {
    const { benchBmc } = await import('./bmc/bmc.ts');
    const figures = await benchBmc(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('install')
  .description('firmware installs on simulated servers, against the time that the BMCs themselves need')
  .option('--servers <n>', 'servers that get firmware', positive, 5000)
  .option('--parallel <n>', 'installs at once', positive, 500)
  .option('--flash <seconds>', 'what an update takes of a BMC’s time', positive, 20)
  .option('--faulty <share>', 'share of the BMCs that misbehave', notNegative, 0.03)
  .addOption(new Option('--store <store>', 'what it runs on').choices(['sqlite', 'postgres']).default('sqlite'))
  .option('--workers <n>', 'worker processes; several need postgres', positive, 1)
  .option('--sizes <list>', 'servers of the runs without flash time, separated by commas', '500,5000,20000')
  .option('--compared <n>', 'servers of the comparison of four workers with one', positive, 500)
  .option('--image-kib <n>', 'size of an image', positive, 256)
  .addOption(new Option('--only <part>', 'one part of it').choices(['flash', 'growth', 'workers']))
  .addOption(new Option('--quick', 'all of it with few servers, in less than two minutes').implies(quickInstall))
  .action(async (options) => {
    const { benchInstall } = await import('./install/install.ts');
    const figures = await benchInstall(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('fleet')
  .description('changes of firmware groups on growing fleets with BMCs that take no time: how cost grows')
  .option('--sizes <list>', 'servers of each run, separated by commas', '1000,10000')
  .option('--warm-up <n>', 'servers that are there at first, beyond which each is counted', positive, 100)
  .option('--rounds <n>', 'changes of each run', positive, 3)
  .option('--job-ms <n>', 'what a job takes from its acceptance to its report', notNegative, 250)
  .addOption(new Option('--quick', 'the same with few servers, in about two minutes').implies(quickFleet))
  .action(async (options) => {
    const { benchFleet } = await import('./fleet/fleet.ts');
    const figures = await benchFleet(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('hosts')
  .description('BareMetalHosts made at once, until all are available, with hosts that take no time themselves')
  .option('--sizes <list>', 'hosts of each run, separated by commas', '100,1000,5000')
  .addOption(new Option('--only <server>', 'one of the API servers').choices(['embedded', 'real']))
  .option('--rounds <n>', 'how often sizes below 500 are measured; the middle one counts', positive, 3)
  .option('--warm-up <n>', 'hosts that are made available before each measurement', positive, 300)
  .option('--operator-command <command>', 'starts another operator, with KUBECONFIG set, to be measured too')
  .option('--operator-sizes <list>', 'its sizes; the same unless given')
  .option('--operator-crds <file>', 'definitions that it needs, in YAML; they replace ours of the same name')
  .action(async (options) => {
    const { benchHosts } = await import('./hosts/hosts.ts');
    const figures = await benchHosts(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('ports')
  .description(
    'switch ports configured, changed and cleaned all at once, on switches in memory and on databases of Open vSwitch',
  )
  .option('--sizes <list>', 'ports of each run, separated by commas', '100,1000')
  .option('--switches <n>', 'switches that they are on', positive, 40)
  .addOption(new Option('--only <backend>', 'one kind of switches').choices(['fixture', 'ovsdb']))
  .option('--rounds <n>', 'how often each size is measured; the middle one counts', positive, 3)
  .action(async (options) => {
    const { benchPorts } = await import('./ports/ports.ts');
    const figures = await benchPorts(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('discovery')
  .description('machines that nobody has registered, switched on at once, until all are available hosts')
  .option('--sizes <list>', 'machines of each run, separated by commas', '100,1000')
  .option('--seconds <n>', 'in which all of them are switched on', notNegative, 10)
  .option('--rounds <n>', 'how often each size is measured; the middle one counts', positive, 3)
  .option('--warm-up <n>', 'machines that become hosts before each measurement', positive, 300)
  .action(async (options) => {
    const { benchDiscovery } = await import('./discovery/discovery.ts');
    const figures = await benchDiscovery(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('live-update')
  .description(
    'BareMetalHosts in use that all get another BIOS setting, so many at once, against what the machines need',
  )
  .option('--hosts <n>', 'hosts that are provisioned, then serviced', positive, 1000)
  .option('--parallel <n>', 'how many of them may be serviced at once', positive, 200)
  .option('--post <seconds>', 'what a machine takes from its restart to the end of its self-test', positive, 60)
  .action(async (options) => {
    const { benchLiveUpdate } = await import('./live-update/live-update.ts');
    const figures = await benchLiveUpdate(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('console')
  .description('the console in a browser: how soon a fleet is seen, and whether its memory grows while hosts change')
  .option('--hosts <n>', 'hosts of the fleet', positive, 5000)
  .option('--rounds <n>', 'how often the page is loaded; the middle one counts', positive, 3)
  .option('--changes <n>', 'changes of hosts that the page sees', positive, 20_000)
  .option('--seconds <n>', 'how long hosts change, instead of how often', positive)
  .action(async (options) => {
    const { benchConsole } = await import('./console/console.ts');
    const figures = await benchConsole(options);
    console.log(JSON.stringify(figures));
  });

program
  .command('hostile')
  .description('hostile requests to all ports of a running server, with and without credentials, and /livez meanwhile')
  .option('--requests <n>', 'how many', positive, 100_000)
  .option('--at-once <n>', 'how many of them at once', positive, 32)
  .option('--servers <n>', 'servers of the simulated rack', positive, 2)
  .option('--seed <n>', 'another one makes other requests', positive, 1)
  .addOption(new Option('--quick', 'a few thousand, in about a minute').implies({ requests: 3000 }))
  .action(async (options) => {
    const { benchHostile } = await import('./hostile.ts');
    const figures = await benchHostile(options);
    console.log(JSON.stringify(figures));
  });

for (const bench of program.commands) {
  bench.option('--plan', 'only say what would be measured, as the line of JSON, and measure nothing');
}
program.hook('preAction', (_, bench) => {
  const { plan, ...options } = bench.opts();
  if (plan !== true) return;
  console.log(JSON.stringify({ bench: bench.name(), options }));
  process.exit();
});

await program.parseAsync();

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a positive number');
  return value;
}

function notNegative(text: string): number {
  return text === '0' ? 0 : positive(text);
}
