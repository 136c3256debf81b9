// npm run bench -- [NAME] [--parts] [--flame FILE.svg] [--json FILE] [--rounds N] [--seconds N] [--warm-up SECONDS]:
// what the server costs beside a bare `node:http` server, as ratios measured in one run. The server runs as its users
// run it: key looked up, body validated, limit counted, request logged. `--parts` shows what parts of it would leave
// alone, `--flame` draws where the server's time went (and costs some).
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import type { BareAnswer } from './bare-answer.ts'
import { flameGraph } from './flame.ts'
import { compare, type Comparison, type Contender, type Rounds } from './measure.ts'
import { type Row, rowsOf, table } from './table.ts'

/** Requests in flight, one per connection. */
const CONNECTIONS = 32
const REFERENCE = 'bare node:http'
const MODEL = 'svc-0.1-echo'

/** Parts of the server, beside the same reference: the whole cannot be quicker than any of them. */
const PARTS = [
  { name: 'hono alone', file: 'loadtest/bench/hono-server.ts' },
  { name: 'checks alone', file: 'deploy/checks-server.ts' },
]
const root = fileURLToPath(new URL('../..', import.meta.url))

interface Workload {
  readonly name: string
  /** The unit that is counted. */
  readonly unit: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

const ask = (content: string) => ({
  model: MODEL,
  messages: [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content },
  ],
})

const workloads: readonly Workload[] = [
  {
    name: 'echo-plain',
    unit: 'requests/s',
    method: 'POST',
    path: '/v1/chat/completions',
    body: { ...ask('What is the answer?!'), temperature: 0 },
  },
  // 80 tokens of the echo model are 20 deltas.
  {
    name: 'echo-streamed',
    unit: 'streams/s',
    method: 'POST',
    path: '/v1/chat/completions',
    body: { ...ask('0123456789'.repeat(8)), stream: true },
  },
  { name: 'models', unit: 'requests/s', method: 'GET', path: '/v1/models' },
]

const { names, jsonFile, flameFile, parts, ...counts } = readOptions()
const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
const children = new Set<ChildProcess>()
try {
  const rows = await bench()
  process.stdout.write(table(rows))
  if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify({ rows }, null, 2)}\n`)
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

async function bench(): Promise<Row[]> {
  const { url, pid, key, child } = await startServer()
  const rows: Row[] = []
  for (const workload of workloads.filter(({ name }) => names.length === 0 || names.includes(name))) {
    if (process.stderr.isTTY) process.stderr.write(`measuring ${workload.name} …\n`)
    const request = rawRequest(workload, key)
    const answer = await captureAnswer(`${url}${workload.path}`, workload, key)
    const bare = await startReference('loadtest/bench/bare-server.ts', answer)
    const comparison: Comparison = await compare(
      { port: Number(new URL(url).port), pid, request },
      { ...bare, request },
      { ...counts, connections: CONNECTIONS },
    )
    rows.push(...rowsOf(workload.name, workload.unit, REFERENCE, comparison))
    for (const { name, file } of parts ? PARTS : []) {
      const part = await startReference(file, answer)
      const most = await compare(
        { ...part, request },
        { ...bare, request },
        { ...counts, connections: CONNECTIONS },
      )
      rows.push(...rowsOf(`${name}: ${workload.name}`, workload.unit, REFERENCE, most))
    }
  }
  if (flameFile !== undefined) await drawFlames(child, flameFile)
  return rows
}

/** Ends the server, which writes its profile then, and draws it. */
async function drawFlames(server: ChildProcess, file: string): Promise<void> {
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
  const profiles = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  // The process of inference writes one too, of which this one is the parent and the busier.
  const texts = profiles.map((name) => readFileSync(join(folder, name), 'utf8'))
  const largest = texts.toSorted((a, b) => b.length - a.length)[0]
  if (largest === undefined) throw new Error('the server wrote no profile')
  writeFileSync(
    file,
    flameGraph(JSON.parse(largest), `The server under ${names.join(', ') || 'all workloads'}`),
  )
}

interface Options extends Omit<Rounds, 'connections'> {
  readonly names: readonly string[]
  readonly jsonFile: string | undefined
  readonly flameFile: string | undefined
  /** Whether to measure also `PARTS`. */
  readonly parts: boolean
}

function readOptions(): Options {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        flame: { type: 'string' },
        parts: { type: 'boolean', default: false },
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '2' },
        'warm-up': { type: 'string', default: '10' },
      },
    })
    const unknown = positionals.find((name) => !workloads.some((workload) => workload.name.startsWith(name)))
    if (unknown !== undefined)
      throw new Error(
        `no benchmark is called '${unknown}': there are ${workloads.map(({ name }) => name).join(', ')}`,
      )
    for (const option of ['rounds', 'seconds', 'warm-up'] as const) {
      if (!/^[1-9]\d*$/.test(values[option]))
        throw new Error(`--${option}: expected a whole number of at least 1, got '${values[option]}'`)
    }
    const names = workloads
      .map(({ name }) => name)
      .filter((name) => positionals.some((given) => name.startsWith(given)))
    return {
      names,
      jsonFile: values.json,
      flameFile: values.flame,
      parts: values.parts,
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
      warmUpSeconds: Number(values['warm-up']),
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(2)
  }
}

/** The server as `npm start` runs it, on any free port and in a folder of its own, and a key without a real limit. */
async function startServer(): Promise<{ url: string; pid: number; key: string; child: ChildProcess }> {
  const password = crypto.randomUUID()
  const env = {
    ...process.env,
    PORT: '0',
    DATA_DIR: folder,
    DASHBOARD_PASSWORD: password,
    DRAIN_SECONDS: '0',
  }
  const profiling = flameFile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
  const { child, pid, line: url } = await start([...profiling, 'server/main.ts'], env)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/dashboard/key-command.ts', 'create', '--limit', '1000000/1'],
    {
      cwd: root,
      env: { ...process.env, DASHBOARD_URL: url, DASHBOARD_PASSWORD: password },
    },
  )
  const { secret }: { secret: string } = JSON.parse(stdout)
  return { url, pid, key: secret, child }
}

async function startReference(file: string, answer: BareAnswer): Promise<Pick<Contender, 'port' | 'pid'>> {
  const { pid, line } = await start([file], {
    ...process.env,
    DATA_DIR: folder,
    BARE_ANSWER: JSON.stringify(answer),
  })
  return { port: Number(line), pid }
}

/** Starts a Node process and waits for the first line that it prints. */
async function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; pid: number; line: string }> {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] })
  children.add(child)
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${args.join(' ')} ended before it was ready`)
  })
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed])
  return { child, pid: child.pid ?? 0, line: String(line) }
}

function rawRequest({ method, path, body }: Workload, key: string): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${key}`]
  if (body !== undefined)
    head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`)
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}

/** One answer of the server, for the bare server to repeat: a stream record by record. */
async function captureAnswer(url: string, { method, body }: Workload, key: string): Promise<BareAnswer> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`)
  const contentType = answer.headers.get('content-type') ?? ''
  return {
    contentType,
    pieces: contentType === 'text/event-stream' ? (text.match(/data: .*\n\n/g) ?? []) : [text],
  }
}
