// Starts the whole service on one machine: PostgreSQL, Redis, instances and nginx, from Debian's packages. The first line
// of its output is the balancer's address alone. Stops all parts on SIGINT and SIGTERM. If a part cannot start, prints
// one line and exits with 2.
import { once } from 'node:events'
import { type ProgramSpec, readCommandLine } from '../harness/cli/command-line.ts'
import { whole } from '../harness/cli/flag-values.ts'
import { flag, HELP_FLAG, readFlags } from '../harness/cli/flags.ts'
import { type Cluster, KEY_COMMAND, missingPackages, startCluster } from './start-cluster.ts'

/** The pause before a dead part is restarted, in milliseconds. */
const RESTART_MS = 1000

/** The most instances: each takes a process, and connections to PostgreSQL. */
const MAX_INSTANCES = 8

const FLAGS = {
  instances: flag('--instances N', whole(1, MAX_INSTANCES))
    .with({ default: 2 })
    .means('Number of server instances'),
  restart: flag('--restart').means('Restart a dead part after a second, as a supervisor does'),
  help: HELP_FLAG,
} as const

const CLUSTER: ProgramSpec = {
  name: 'npx node deploy/cluster.ts',
  flags: FLAGS,
  commands: [
    {
      name: 'cluster',
      about: 'Start PostgreSQL, Redis, instances of the server and nginx on this machine.',
      notes: 'The settings of the server (npm start -- --help) are taken from the environment.',
    },
  ],
}

try {
  const { given, help } = readCommandLine(CLUSTER, process.argv.slice(2))
  const { instances, restart } = readFlags(FLAGS, given)
  if (help !== undefined) process.stdout.write(help)
  else await serve(instances, restart)
} catch (error) {
  warn(`cluster: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}

async function serve(instances: number, restart: boolean): Promise<void> {
  const missing = missingPackages()
  if (missing.length > 0) throw new Error(`not installed: apt-get install ${missing.join(' ')}`)
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const cluster = await startCluster({ instances, restartMs: restart ? RESTART_MS : undefined, report: warn })
  process.stdout.write(`${lines(cluster).join('\n')}\n`)
  await stopped
  await cluster.stop()
}

function lines({ url, instances, postgres, redis, nginx, folder, operator }: Cluster): string[] {
  const environment = Object.entries(operator).map(([name, value]) => `${name}=${value}`)
  return [
    url,
    `  dashboard   ${url}/dashboard   password ${operator.DASHBOARD_PASSWORD}`,
    ...instances.map(({ name, url, pid }) => `  ${name}  ${url}   process ${pid()}`),
    `  PostgreSQL  127.0.0.1:${postgres.port}`,
    `  Redis       ${redis.url}`,
    `  logs        ${folder}, ${nginx.folder}`,
    `  judge it    ${environment.join(' ')} CONFORMANCE_KEY_COMMAND='node ${KEY_COMMAND}' npx touchstone --base-url ${url}`,
  ]
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`)
}
